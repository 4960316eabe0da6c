import type { Pool } from 'pg'
import { DATABASE_ID } from './database-id.ts'

/** The end of the log of a primary: what its replicas have to reach. */
export interface LogEnd {
  /** See `DATABASE_ID`. */
  readonly databaseId: string
  /**
   * The branch of the log. Each promotion of a standby, and each recovery to a point in time,
   * begins a new one with a higher number (PostgreSQL manual, "Timelines").
   */
  readonly timeline: number
  /** A position in the write-ahead log, as a `pg_lsn`. */
  readonly position: string
}

/** A file of the log is named after its timeline, in hexadecimal, and its number. */
const TIMELINE_DIGITS = 8
const LOG_END = `select ${DATABASE_ID} as "databaseId",
  pg_current_wal_insert_lsn()::text as position,
  pg_walfile_name(pg_current_wal_insert_lsn()) as file`

/** Reads it. Rejects if the server is not a primary. */
export async function readLogEnd(pool: Pool): Promise<LogEnd> {
  const { rows } = await pool.query<Omit<LogEnd, 'timeline'> & { readonly file: string }>(LOG_END)
  const [end] = rows
  if (end === undefined) throw new Error('the primary has returned no position of its log')
  const { databaseId, position, file } = end
  return { databaseId, position, timeline: Number.parseInt(file.slice(0, TIMELINE_DIGITS), 16) }
}
