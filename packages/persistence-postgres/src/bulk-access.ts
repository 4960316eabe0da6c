import type { MikroORM } from '@mikro-orm/postgresql'
import { INT64, type PetQuery } from '@pet-store/domain'
import type { BulkAccess } from '@pet-store/persistence'
import {
  type BulkStatement,
  createBulkAccess,
  NEW_PET_LINE_COLUMNS,
  PET_LINE_COLUMNS,
} from '@pet-store/persistence-mikro-orm'
import pg from 'pg'
import { openPostgresDatabase } from './database.ts'
import { type CopiedRows, copyIn, copyOut, copyText, inMessages } from './driver/copy.ts'
import { insertRows } from './driver/insert-rows.ts'
import { runOnPool } from './driver/pool-statements.ts'
import { createPostgresStatementRunner } from './driver/statement-runner.ts'
import { assertCurrentSchema, ensureMigrated } from './migrations.ts'
import { createPostgresOrm } from './orm.ts'
import type { PostgresOptions } from './settings.ts'
import { isUsableAfter } from './unavailable.ts'

const PET_IDS = "pg_get_serial_sequence('pet', 'id')::regclass"

/**
 * Opens a database for import, export, copy and seed. Rejects with one sentence if the schema is outdated, unless it may
 * migrate, and if the schema is that of a newer version.
 */
export async function openPostgresBulkAccess(options: PostgresOptions): Promise<BulkAccess> {
  // Many rows take their time.
  const database = await openPostgresDatabase({ ...options, statementTimeoutMs: 0 })
  const { pool } = database
  try {
    await ensureMigrated(database, options)
    await assertCurrentSchema(database)
  } catch (error) {
    await pool.end()
    throw error
  }
  let orm: MikroORM | undefined
  const em = () => {
    orm ??= createPostgresOrm(database)
    return orm.em
  }
  const runner = createPostgresStatementRunner(options.pooler ?? 'none', runOnPool(pool, true), runOnPool(pool, false))

  return createBulkAccess(em, runner, {
    insert: (table, rows, also) =>
      inTransaction(pool, async (client) => {
        if (also !== undefined && !(await changesRows(client, also))) return false
        if (table.onConflict !== undefined && rows.length > 0) await insertRows(client, table, rows)
        else if (rows.length > 0) await copyIn(client, table, copyText(rows))
        return true
      }),

    readPetLines: createLineReader((sql, memory) => onConnection(pool, (client) => copyOut(client, sql, memory))),

    insertPetLines: (lines, also) =>
      inTransaction(pool, async (client) => {
        if (also !== undefined && !(await changesRows(client, also))) return false
        await copyIn(client, NEW_PET_LINE_COLUMNS, inMessages(lines))
        return true
      }),

    // A statement by itself is a transaction.
    writePetLines: (lines) => onConnection(pool, (client) => copyIn(client, PET_LINE_COLUMNS, inMessages(lines))),

    async lastPetId() {
      const { rows } = await pool.query<{ id: string | null }>(`select pg_sequence_last_value(${PET_IDS}) as id`)
      return BigInt(rows[0]?.id ?? 0)
    },

    async movePetIdsPast(id) {
      await pool.query(
        `select setval(${PET_IDS}, $1::bigint) where $1::bigint > coalesce(pg_sequence_last_value(${PET_IDS}), 0)`,
        [id],
      )
    },

    close: () => pool.end(),
  })
}

/** The size of a page of lines; a longer line is a page of its own. */
const PAGE_BYTES = 1024 * 1024
/** For the first page, before the length of lines is known. */
const FIRST_PAGE = 5_000

/** Returns a function that reads pages of about the same number of bytes. Two of them take turns in the same memory. */
function createLineReader(
  copy: (sql: string, memory: Buffer) => Promise<CopiedRows>,
): (query: PetQuery) => Promise<Uint8Array> {
  let [memory, other]: [Buffer, Buffer] = [Buffer.allocUnsafeSlow(PAGE_BYTES), Buffer.allocUnsafeSlow(PAGE_BYTES)]
  let fitting = FIRST_PAGE
  return async ({ limit, ...query }) => {
    ;[memory, other] = [other, memory]
    const { text, count } = await copy(petQuery({ ...query, limit: Math.min(limit, fitting) }), memory)
    // A little less, because the next lines may be a little longer.
    if (count > 0) fitting = Math.max(1, Math.floor((0.9 * PAGE_BYTES * count) / text.length))
    return text
  }
}

/** COPY takes no parameters. */
function petQuery({ after, status, limit }: PetQuery): string {
  const { table, columns } = PET_LINE_COLUMNS
  const conditions = ['true']
  // The server would compare greater numbers by another type, and use no index.
  if (after !== undefined && after >= INT64.min) conditions.push(after > INT64.max ? 'false' : `id > ${after}`)
  if (status !== undefined) conditions.push(`status = ${pg.escapeLiteral(status)}`)
  const names = columns.map(({ name }) => name).join(', ')
  return `select ${names} from ${table} where ${conditions.join(' and ')} order by id limit ${limit}`
}

async function changesRows(client: pg.ClientBase, { sql, values }: BulkStatement): Promise<boolean> {
  const { rowCount } = await client.query(sql, [...values])
  return rowCount !== 0
}

async function onConnection<Result>(pool: pg.Pool, work: (client: pg.ClientBase) => Promise<Result>): Promise<Result> {
  const client = await pool.connect()
  let failure: unknown
  try {
    return await work(client)
  } catch (error) {
    failure = error
    throw error
  } finally {
    client.release(failure !== undefined && !isUsableAfter(failure))
  }
}

/** Commits if the work resolves to `true`. */
function inTransaction(pool: pg.Pool, work: (client: pg.ClientBase) => Promise<boolean>): Promise<boolean> {
  return onConnection(pool, async (client) => {
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
