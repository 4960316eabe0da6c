import { compilePetStatements, SqlPetRepository } from '@pet-store/persistence-mikro-orm'
import { beforeAll, describe, expect, it } from 'vitest'
import { openPostgresDatabase } from '../database.ts'
import { migratePostgres } from '../migrations.ts'
import { createPostgresOrm } from '../orm.ts'
import { useDatabase } from '../testing/temporary-database.test-support.ts'
import { createPostgresStatementRunner } from './statement-runner.ts'

const database = useDatabase()

beforeAll(async () => {
  await migratePostgres({ url: database.url })
})

/** What stays prepared on a connection after some work. */
async function namesAfterWork(isPrepared: boolean): Promise<readonly string[]> {
  const opened = await openPostgresDatabase({ url: database.url, poolSize: 1 })
  const statements = compilePetStatements(createPostgresOrm(opened).em)
  const pets = new SqlPetRepository(
    statements,
    createPostgresStatementRunner(isPrepared, (query) => opened.pool.query(query)),
  )
  for (const id of [1n, 2n, 3n]) await pets.find(id)
  await pets.list({ limit: 1, status: 'sold' })
  const { rows } = await opened.pool.query<{ name: string }>('select name from pg_prepared_statements order by name')
  await opened.pool.end()
  return rows.map(({ name }) => name)
}

describe('The statement runner of PostgreSQL', () => {
  it('prepares each statement once on a connection, under its name', async () => {
    expect(await namesAfterWork(true)).toEqual(['pet_find', 'pet_list_with_status'])
  })

  it('leaves nothing prepared when a pooler cannot keep it', async () => {
    expect(await namesAfterWork(false)).toEqual([])
  })
})
