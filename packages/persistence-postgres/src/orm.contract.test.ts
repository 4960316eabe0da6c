import { hashApiKey } from '@pet-store/access'
import { aNewPet } from '@pet-store/persistence-testing'
import { openFaultyProxy } from '@pet-store/testing'
import { runSql } from '@pet-store/testing-postgres'
import { beforeAll, expect, it, onTestFinished } from 'vitest'
import { openPostgresBulkAccess } from './bulk-access.ts'
import { migratePostgres } from './migrations.ts'
import { openPostgresPersistence } from './open-persistence.ts'
import { useDatabase } from './testing/temporary-database.test-support.ts'

const POOL_SIZE = 2

const database = useDatabase()
beforeAll(() => migratePostgres({ url: database.url }))

/** A server on which no transaction can be begun as long as `isFailing`. */
async function openWithoutTransactions() {
  const server = { url: '', isFailing: false }
  const proxy = await openFaultyProxy(database.url, {
    // A word of the same length that is not SQL.
    changeRequests: () => (data) =>
      server.isFailing
        ? Buffer.from(data.toString('latin1').replaceAll(/begin|start/g, 'wrong'), 'latin1')
        : data,
  })
  onTestFinished(() => proxy.close())
  server.url = proxy.url
  return server
}

it('what goes through the ORM begins no transaction', async () => {
  const server = await openWithoutTransactions()
  const { apiKeys, isMigrated, close } = await openPostgresPersistence({
    url: server.url,
    poolSize: POOL_SIZE,
  })
  const bulk = await openPostgresBulkAccess({ url: server.url, poolSize: POOL_SIZE })
  onTestFinished(async () => {
    await Promise.all([close(), bulk.close()])
  })
  server.isFailing = true

  const createdAt = new Date()
  const key = { id: 'one', sha256: hashApiKey('one'), name: 'Till', scopes: ['pets:read'] as const }
  const successor = { ...key, id: 'two', sha256: hashApiKey('two'), createdAt }
  await apiKeys.add({ ...key, createdAt })
  expect(await apiKeys.replace('one', successor, createdAt)).toBe(true)
  await apiKeys.markUsed([{ id: 'two', at: createdAt }])
  expect(await apiKeys.revoke('two', createdAt)).toBe(true)
  expect(await apiKeys.list()).toHaveLength(2)
  expect(await isMigrated()).toBe(true)

  expect(await bulk.readApiKeys()).toHaveLength(2)
  const note = { id: 2n ** 62n + 1n, sha256: 'a', state: 'finished', lines: 7 } as const
  await bulk.writePetImports([{ ...note, changedAt: createdAt }])
  expect(await bulk.readPetImports()).toEqual([{ ...note, changedAt: createdAt }])
})

it('every connection whose begin has failed is returned to the pool', async () => {
  const server = await openWithoutTransactions()
  const bulk = await openPostgresBulkAccess({ url: server.url, poolSize: POOL_SIZE })
  onTestFinished(() => bulk.close())
  const progress = {
    to: { id: 1n, sha256: 'a', state: 'unfinished', lines: 1, changedAt: new Date() },
  } as const
  await runSql(database.url, 'truncate pet, pet_import')

  server.isFailing = true
  for (let attempt = 0; attempt < 3 * POOL_SIZE; attempt += 1) {
    await expect(bulk.addPets([aNewPet()], progress)).rejects.toThrow('wrong')
  }
  server.isFailing = false
  await bulk.addPets([aNewPet()], progress)
  expect([await bulk.countPets(), (await bulk.readPetImports()).length]).toEqual([1, 1])
})
