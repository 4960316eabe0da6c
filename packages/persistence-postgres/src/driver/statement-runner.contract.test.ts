import { SqlPetRepository, type Statement } from '@pet-store/persistence-mikro-orm'
import pg from 'pg'
import { beforeAll, describe, expect, it } from 'vitest'
import { openPostgresDatabase } from '../database.ts'
import { PET_STATEMENTS } from '../hot-statements.ts'
import { migratePostgres } from '../migrations.ts'
import type { Pooler } from '../settings.ts'
import { useDatabase } from '../testing/temporary-database.test-support.ts'
import { runOnPool } from './pool-statements.ts'
import { createPostgresStatementRunner, type RunWrite } from './statement-runner.ts'

const database = useDatabase()

beforeAll(async () => {
  await migratePostgres({ url: database.url })
})

/** What stays prepared on a connection after some work. */
async function namesAfterWork(pooler: Pooler): Promise<readonly string[]> {
  const opened = await openPostgresDatabase({ url: database.url, poolSize: 1 })
  const pets = new SqlPetRepository(PET_STATEMENTS, createPostgresStatementRunner(pooler, runOnPool(opened.pool, true)))
  for (const id of [1n, 2n, 3n]) await pets.find(id)
  await pets.list({ limit: 1, status: 'sold' })
  const { rows } = await opened.pool.query<{ name: string }>('select name from pg_prepared_statements order by name')
  await opened.pool.end()
  return rows.map(({ name }) => name)
}

describe('The statement runner of PostgreSQL', () => {
  it('prepares each statement once on a connection, under its name', async () => {
    expect(await namesAfterWork('none')).toEqual(['pet_find', 'pet_list_with_status'])
  })

  it('leaves nothing prepared when a pooler cannot keep it', async () => {
    expect(await namesAfterWork('transaction-unprepared')).toEqual([])
  })
})

const FIND: Statement<[id: bigint], { id: bigint }> = { name: 'find', sql: '' }
const reported = (code: string) => Object.assign(new pg.DatabaseError('no', 2, 'error'), { code, severity: 'ERROR' })

/** Runs statements that fail with these codes, one after another, and then succeed. */
function failing(codes: string[]): { readonly run: RunWrite; readonly calls: () => number } {
  let calls = 0
  return {
    async run() {
      calls += 1
      const code = codes.shift()
      if (code !== undefined) throw reported(code)
      return [{ id: 7n }]
    },
    calls: () => calls,
  }
}

describe('A statement that conflicts with others', () => {
  it.each(['40001', '40P01'])('is run again after %s', async (code) => {
    const { run, calls } = failing([code, code])
    expect(await createPostgresStatementRunner('none', run).write(FIND)([1n])).toEqual({ id: 7n })
    expect(await createPostgresStatementRunner('none', run).readOne(FIND, (row) => row)([1n])).toEqual({ id: 7n })
    expect(calls()).toBe(4)
  })

  it('is rejected as not stored after some times', async () => {
    const { run, calls } = failing(Array<string>(50).fill('40001'))
    await expect(createPostgresStatementRunner('none', run).tryWrite(FIND)([1n])).rejects.toMatchObject({
      code: 'persistence_unavailable',
      outcome: 'not_stored',
    })
    expect(calls()).toBe(11)
  })
})

it.each(['26000', '42P05'])('SQLSTATE %s behind a pooler names the setting that helps', async (code) => {
  const { run } = failing([code])
  await expect(createPostgresStatementRunner('transaction', run).write(FIND)([1n])).rejects.toMatchObject({
    code: 'persistence_unavailable',
    outcome: 'not_stored',
    message: expect.stringContaining('DATABASE_POOLER=transaction-unprepared') as string,
  })
})
