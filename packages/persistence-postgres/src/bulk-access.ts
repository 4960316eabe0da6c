import type { BulkAccess } from '@pet-store/persistence'
import { createBulkAccess } from '@pet-store/persistence-mikro-orm'
import type { ClientBase, Pool } from 'pg'
import { openPostgresDatabase } from './database.ts'
import { assertCurrentSchema, ensureMigrated } from './migrations.ts'
import { createPostgresOrm } from './orm.ts'
import type { PostgresOptions } from './settings.ts'
import { cannotConnect, isUsableAfter, unavailableOr } from './unavailable.ts'

/** How long a page of pets may take. A silent server ends a command, however much it has done before. */
const PAGE_TIMEOUT_MS = 60_000
const PET_IDS = "pg_get_serial_sequence('pet', 'id')::regclass"

/**
 * Opens a database for import, export, copy and seed. Rejects with one sentence if the schema is outdated, unless it may
 * migrate, and if the schema is that of a newer version.
 */
export async function openPostgresBulkAccess(options: PostgresOptions): Promise<BulkAccess> {
  const { bulkTimeoutMs = PAGE_TIMEOUT_MS } = options
  const database = await openPostgresDatabase({ ...options, statementTimeoutMs: bulkTimeoutMs })
  const { pool } = database
  try {
    await ensureMigrated(database, options)
    await assertCurrentSchema(database)
  } catch (error) {
    await pool.end()
    throw error
  }

  return createBulkAccess(createPostgresOrm(database).em, {
    read: ({ sql, parameters }) =>
      onConnection(pool, false, async (client) => {
        const { rows } = await client.query({ text: sql, values: [...parameters], rowMode: 'array' })
        return rows
      }),

    insert: ({ table, columns, onConflict = '' }, rows, also) =>
      inTransaction(pool, async (client) => {
        if (also !== undefined && (await client.query(also.sql, [...also.parameters])).rowCount === 0) return false
        // One array for each column, so that the number of parameters does not grow with the rows.
        const names = columns.map(({ name }) => name).join(', ')
        const arrays = columns.map(({ isInteger }, index) => `$${index + 1}::${isInteger ? 'bigint' : 'text'}[]`)
        await client.query(
          `insert into ${table} (${names}) select * from unnest(${arrays.join(', ')}) ${onConflict}`,
          columns.map((_, index) => rows.map((row) => row[index])),
        )
        return true
      }),

    lastPetId: () =>
      onConnection(pool, false, async (client) => {
        const { rows } = await client.query<{ id: string | null }>(`select pg_sequence_last_value(${PET_IDS}) as id`)
        return BigInt(rows[0]?.id ?? 0)
      }),

    movePetIdsPast: (id) =>
      onConnection(pool, true, async (client) => {
        await client.query(
          `select setval(${PET_IDS}, $1::bigint) where $1::bigint > coalesce(pg_sequence_last_value(${PET_IDS}), 0)`,
          [id],
        )
      }),

    close: () => pool.end(),
  })
}

/** Commits if the work resolves to `true`. */
function inTransaction(pool: Pool, work: (client: ClientBase) => Promise<boolean>): Promise<boolean> {
  return onConnection(pool, true, async (client) => {
    await client.query('begin')
    try {
      const isDone = await work(client)
      await client.query(isDone ? 'commit' : 'rollback')
      return isDone
    } catch (error) {
      // If the connection is lost, the server has rolled back already.
      if (isUsableAfter(error)) await client.query('rollback')
      throw error
    }
  })
}

async function onConnection<Result>(
  pool: Pool,
  isWrite: boolean,
  work: (client: ClientBase) => Promise<Result>,
): Promise<Result> {
  const client = await pool.connect().catch((error: unknown) => {
    throw cannotConnect(error)
  })
  let failure: unknown
  try {
    return await work(client)
  } catch (error) {
    failure = error
    throw unavailableOr(error, isWrite)
  } finally {
    client.release(failure !== undefined && !isUsableAfter(failure))
  }
}
