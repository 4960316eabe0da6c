import { once } from 'node:events'
import { setTimeout } from 'node:timers/promises'
import { aNewPet } from '@pet-store/persistence-testing'
import { createDatabase, runSql } from '@pet-store/testing-postgres'
import { expect, it, onTestFinished } from 'vitest'
import { openPostgresPersistence } from '../open-persistence.ts'
import {
  openWithReplica,
  servedByReplica,
  useReplicatedDatabase,
} from '../testing/replicated-database.test-support.ts'

const database = useReplicatedDatabase()

const onPrimary = (sql: string) => runSql(database.url, sql)

it('opening with replicas works when transactions are serializable by default', async () => {
  const name = new URL(database.url).pathname.slice(1)
  await onPrimary(`alter database ${name} set default_transaction_isolation = 'serializable'`)
  onTestFinished(
    async () =>
      void (await onPrimary(`alter database ${name} reset default_transaction_isolation`)),
  )
  await database.server.catchUp()
  const opened = await openWithReplica(database)
  const pet = await opened.pets.add(aNewPet())
  await servedByReplica(pet, opened)
  expect(await opened.pets.list({ limit: 1 })).toEqual([pet])
})

it('opening starts without a replica that is down, and warns without the password', async () => {
  const warned = once(process, 'warning')
  const down = 'postgres://pet:secret@127.0.0.1:1/pets'
  const opened = await openWithReplica(database, { replicaUrls: [down, database.replicaUrl] })
  const [warning] = (await warned) as [Error]
  expect(warning.message).toMatch(
    /^The PostgreSQL replica "127\.0\.0\.1:1\/pets" is left out for now: .*ECONNREFUSED.*\.$/,
  )
  expect(warning.message).not.toContain('secret')
  expect(await opened.replicaProblems()).toEqual([
    expect.stringMatching(
      /^The PostgreSQL replica "127\.0\.0\.1:1\/pets" serves no lists: .*REFUSED/,
    ),
  ])
  const pet = await opened.pets.add(aNewPet())
  await expect.poll(() => opened.replicaWatermarks()).toEqual([undefined, pet.id])
  expect(await opened.pets.list({ limit: 1 })).toEqual([pet])
})

it('a replica that is started later serves lists from then on', async () => {
  await database.server.standby.stop()
  const opened = await openWithReplica(database)
  const pet = await opened.pets.add(aNewPet())
  expect(await opened.pets.list({ limit: 1 })).toEqual([pet])
  await database.server.standby.start()
  await servedByReplica(pet, opened)
})

it('opening leaves out, and warns of, another database of the same servers', async () => {
  const foreign = await createDatabase(database.server.primary.url)
  onTestFinished(() => foreign.drop())
  const { pets, close } = await openPostgresPersistence({ url: foreign.url, mode: 'migrate' })
  await pets.add(aNewPet({ name: 'foreign' }))
  await close()
  await database.server.catchUp()
  const warned = once(process, 'warning')
  const wrong = Object.assign(new URL(foreign.url), { port: database.server.standby.port }).href
  const opened = await openWithReplica(database, { replicaUrls: [wrong] })
  expect(await opened.replicaProblems()).toHaveLength(1)
  const pet = await opened.pets.add(aNewPet())
  expect(opened.replicaWatermarks()).toEqual([undefined])
  expect(await opened.pets.list({ limit: 1 })).toEqual([pet])
  expect(String((await warned)[0])).toContain(
    'is left out for now: it is not a copy of the database of the primary.',
  )
})

it('a replica that is not a streaming replica is left out with a warning', async () => {
  const warned = once(process, 'warning')
  const { pets, replicaWatermarks } = await openWithReplica(database, {
    replicaUrls: [database.url],
  })
  const { host, pathname } = new URL(database.url)
  expect(String((await warned)[0])).toBe(
    `Warning: The PostgreSQL replica "${host}${pathname}" is left out for now: ` +
      'it is not a streaming replica.',
  )
  const pet = await pets.add(aNewPet())
  expect(await pets.list({ limit: 1 })).toEqual([pet])
  await setTimeout(1_500)
  expect(replicaWatermarks()).toEqual([undefined])
})

it('replicaProblems says that the replicas of a standby serve no lists', async () => {
  const { replicaUrl } = database
  const { replicaProblems } = await openWithReplica(database, { url: replicaUrl, mode: 'read' })
  expect(await replicaProblems()).toEqual([expect.stringContaining('is a standby itself')])
})
