import { aNewPet, bulkAccessContract } from '@pet-store/persistence-testing'
import pg from 'pg'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { openPostgresBulkAccess } from './bulk-access.ts'
import { openProxy } from './testing/failing-server.test-support.ts'
import { useDatabase } from './testing/temporary-database.test-support.ts'

const database = useDatabase()
let other: pg.Client

beforeAll(async () => {
  await (await openPostgresBulkAccess({ url: database.url, migrate: true })).close()
  other = new pg.Client({ connectionString: database.url })
  await other.connect()
})
beforeEach(() => other.query('truncate pet, idempotency_key, api_key, pet_import restart identity'))
afterAll(() => other.end())

describe('PostgreSQL fulfils the BulkAccess contract', () => {
  for (const { name, run } of bulkAccessContract) {
    it(name, async () => {
      const bulk = await openPostgresBulkAccess({ url: database.url })
      try {
        await run(bulk)
      } finally {
        await bulk.close()
      }
    })
  }
})

describe('Bulk access to PostgreSQL', () => {
  const PETS = Array.from({ length: 5_000 }, (_, index) => aNewPet({ name: `Pet ${index}` }))

  it.each(['reading', 'writing'])('does not wait for a server that falls silent while it is %s', async (what) => {
    const proxy = await openProxy(database.url)
    const bulk = await openPostgresBulkAccess({ url: proxy.url, bulkTimeoutMs: 500 })
    await bulk.addPets(PETS)
    proxy.mute()
    const lost = what === 'reading' ? bulk.readPets({ limit: 5_000 }) : bulk.addPets(PETS)
    await expect(lost).rejects.toMatchObject({ code: 'persistence_unavailable' })
    // What it did before is there, and closing waits for nothing.
    expect(await bulk.countPets()).toBe(PETS.length)
    await bulk.close()
  })

  it('rolls back and goes on with the same connection when pets are rejected', async () => {
    const bulk = await openPostgresBulkAccess({ url: database.url, poolSize: 1 })
    const invalid = { ...aNewPet(), status: 'lost' as 'sold' }
    await expect(bulk.addPets([...PETS, invalid] as typeof PETS)).rejects.toThrow('pet_status_check')
    await bulk.addPets(PETS)
    expect(await bulk.countPets()).toBe(PETS.length)
    await bulk.close()
  })
})
