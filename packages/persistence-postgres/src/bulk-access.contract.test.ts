import { aNewPet } from '@pet-store/persistence-testing'
import { runSql } from '@pet-store/testing-postgres'
import pg from 'pg'
import { beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { openPostgresBulkAccess } from './bulk-access.ts'
import { migratePostgres } from './migrations.ts'
import { openProxy } from './testing/failing-server.test-support.ts'
import { useDatabase } from './testing/temporary-database.test-support.ts'

const database = useDatabase()

beforeAll(() => migratePostgres({ url: database.url }))
beforeEach(() => runSql(database.url, 'truncate pet, idempotency_key'))

describe('Bulk access to PostgreSQL', () => {
  const PETS = Array.from({ length: 5_000 }, (_, index) => aNewPet({ name: `Pet ${index}` }))

  it.each(['reading', 'writing'])(
    'bulk access does not wait for a server that becomes unresponsive while it is %s',
    async (what) => {
      const direct = await openPostgresBulkAccess({ url: database.url })
      await direct.addPets(PETS)
      await direct.close()
      const proxy = await openProxy(database.url)
      const bulk = await openPostgresBulkAccess({ url: proxy.url, bulkTimeoutMs: 500 })
      // On a busy machine even this may take longer.
      const expectAll = () => expect.poll(() => bulk.countPets()).toBe(PETS.length)
      await expectAll()
      proxy.mute()
      const lost = what === 'reading' ? bulk.readPets({ limit: 5_000 }) : bulk.addPets(PETS)
      await expect(lost).rejects.toMatchObject({ code: 'persistence_unavailable' })
      // What was stored before is there, and closing waits for nothing.
      await expectAll()
      await bulk.close()
    },
  )

  it('bulk access rolls back and keeps its connection when pets are rejected', async () => {
    const bulk = await openPostgresBulkAccess({ url: database.url, poolSize: 1 })
    const invalid = { ...aNewPet(), status: 'lost' as 'sold' }
    await expect(bulk.addPets([...PETS, invalid] as typeof PETS)).rejects.toThrow(
      'pet_status_check',
    )
    await bulk.addPets(PETS)
    expect(await bulk.countPets()).toBe(PETS.length)
    await bulk.close()
  })
  it('bulk access stores nothing if a trigger leaves a pet out', async () => {
    await runSql(
      database.url,
      `create function rule() returns trigger language plpgsql as $$
        begin if new.name = 'Pet 7' then return null; end if; return new; end $$;
      create trigger rule before insert on pet for each row execute function rule()`,
    )
    onTestFinished(async () => void (await runSql(database.url, 'drop function rule cascade')))
    const bulk = await openPostgresBulkAccess({ url: database.url })
    await expect(bulk.addPets(PETS)).rejects.toThrow('leaves 1 of 5000 rows out')
    const withIds = PETS.map((pet, index) => ({ ...pet, id: BigInt(index + 1) }))
    await expect(bulk.writePets(withIds)).rejects.toThrow('leaves 1 of 5000 rows out')
    expect(await bulk.countPets()).toBe(0)
    await bulk.close()
  })

  it('bulk access moves ids past one although its connection has a cache of ids', async () => {
    await runSql(database.url, 'alter sequence pet_id_seq cache 10')
    onTestFinished(async () => {
      await runSql(database.url, 'alter sequence pet_id_seq cache 1')
    })
    const bulk = await openPostgresBulkAccess({ url: database.url, poolSize: 1 })
    for (const distance of [1n, 3n, 20_000n]) {
      await bulk.addPets([aNewPet()])
      const id = (await bulk.lastPetId()) + distance
      await bulk.movePetIdsPast(id)
      await bulk.addPets([aNewPet()])
      const pets = await bulk.readPets({ limit: 10 })
      expect(pets.at(-1)?.id).toBeGreaterThan(id)
    }
    await bulk.close()
  })

  it('bulk access never lowers the next id while others move ids too', async () => {
    const bulk = await openPostgresBulkAccess({ url: database.url })
    const last = await bulk.lastPetId()
    const other = new pg.Client(database.url)
    await other.connect()
    await other.query('begin; select pg_advisory_xact_lock(1836021349)')
    const moved = bulk.movePetIdsPast(last + 20_000n)
    const waiting = `select 1 from pg_locks
      where locktype = 'advisory' and objid = 1836021349 and not granted`
    await expect.poll(() => runSql(database.url, waiting)).toHaveLength(1)
    await other.query(`select setval('pet_id_seq', ${last + 50_000n})`)
    await other.query('commit')
    await other.end()
    await moved
    expect(await bulk.lastPetId()).toBe(last + 50_000n)
    await bulk.close()
  })
})
