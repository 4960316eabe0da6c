import { once } from 'node:events'
import { setTimeout } from 'node:timers/promises'
import type { Pet } from '@pet-store/domain'
import { aNewPet } from '@pet-store/persistence-testing'
import {
  createDatabase,
  type ReplicatedServer,
  runSql,
  startReplicatedServer,
} from '@pet-store/testing-postgres'
import { afterAll, beforeAll, beforeEach, expect, it, onTestFinished } from 'vitest'
import type { PostgresOptions } from '../database/settings.ts'
import { migratePostgres } from '../migrations.ts'
import { openPostgresPersistence, type PostgresPersistence } from '../open-persistence.ts'

let server: ReplicatedServer
let url: string
let replicaUrl: string

const onPrimary = (sql: string) => runSql(url, sql)

/** Opens an adapter with the replica; it is closed at the end of the test. */
async function openPersistence(more: Partial<PostgresOptions> = {}): Promise<PostgresPersistence> {
  const opened = await openPostgresPersistence({ url, replicaUrls: [replicaUrl], ...more })
  onTestFinished(() => opened.close())
  return opened
}

/** Waits until the replica serves lists that end with this pet. */
async function served({ id }: Pet, by: PostgresPersistence): Promise<void> {
  await expect.poll(() => by.replicaWatermarks()[0] ?? 0n).toBeGreaterThanOrEqual(id)
}

beforeAll(async () => {
  server = await startReplicatedServer()
  url = (await createDatabase(server.primary.url)).url
  replicaUrl = Object.assign(new URL(url), { port: server.standby.port }).href
  await migratePostgres({ url })
  await server.catchUp()
})
afterAll(() => server.stop())

beforeEach(async () => {
  await onPrimary('truncate pet, idempotency_key restart identity')
  await server.catchUp()
})

it('Opening with replicas works when transactions are serializable by default', async () => {
  const name = new URL(url).pathname.slice(1)
  await onPrimary(`alter database ${name} set default_transaction_isolation = 'serializable'`)
  onTestFinished(
    async () =>
      void (await onPrimary(`alter database ${name} reset default_transaction_isolation`)),
  )
  await server.catchUp()
  const opened = await openPersistence()
  const pet = await opened.pets.add(aNewPet())
  await served(pet, opened)
  expect(await opened.pets.list({ limit: 1 })).toEqual([pet])
})

it('Opening starts without a replica that is down, and warns without the password', async () => {
  const warned = once(process, 'warning')
  const down = 'postgres://pet:secret@127.0.0.1:1/pets'
  const opened = await openPersistence({ replicaUrls: [down, replicaUrl] })
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

it('A replica that is started later serves lists then', async () => {
  await server.standby.stop()
  const opened = await openPersistence()
  const pet = await opened.pets.add(aNewPet())
  expect(await opened.pets.list({ limit: 1 })).toEqual([pet])
  await server.standby.start()
  await served(pet, opened)
})

it('Opening leaves out, and warns of, another database of the same servers', async () => {
  const foreign = await createDatabase(server.primary.url)
  onTestFinished(() => foreign.drop())
  const { pets, close } = await openPostgresPersistence({ url: foreign.url, mode: 'migrate' })
  await pets.add(aNewPet({ name: 'foreign' }))
  await close()
  await server.catchUp()
  const warned = once(process, 'warning')
  const wrong = Object.assign(new URL(foreign.url), { port: server.standby.port }).href
  const opened = await openPersistence({ replicaUrls: [wrong] })
  const pet = await opened.pets.add(aNewPet())
  expect(String((await warned)[0])).toContain(
    'is left out for now: it is no copy of the database of the primary.',
  )
  expect(opened.replicaWatermarks()).toEqual([undefined])
  expect(await opened.pets.list({ limit: 1 })).toEqual([pet])
  expect(await opened.replicaProblems()).toHaveLength(1)
})

it('Lists are read from the primary, and Node warns, if a node hides its position', async () => {
  const warned = once(process, 'warning')
  const { pets, replicaWatermarks } = await openPersistence({ replicaUrls: [url] })
  expect(String((await warned)[0])).toMatch(
    /^Warning: The PostgreSQL replica "127\.0\.0\.1:\d+\/pet_store_\w+" is left out for now: it is no streaming replica\.$/,
  )
  const pet = await pets.add(aNewPet())
  expect(await pets.list({ limit: 1 })).toEqual([pet])
  await setTimeout(1_500)
  expect(replicaWatermarks()).toEqual([undefined])
})
