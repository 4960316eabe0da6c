import { mkdirSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import Database from 'better-sqlite3'
import { retryWhileBusy } from './driver/retry-while-busy.ts'
import { MEMORY } from './settings.ts'

/** How long a statement waits for another process that is writing, before it fails with SQLITE_BUSY. */
export const BUSY_TIMEOUT_MS = 5000
const SMALLEST_DATABASE_BYTES = 512
const NO_DATABASE = 'the file is not an SQLite database'

/**
 * Opens the file, and makes it and its folder where they are missing.
 * Rejects with one sentence that names the path; the driver's error is its cause.
 */
export async function openSqliteDatabase(path: string): Promise<Database.Database> {
  let database: Database.Database | undefined
  try {
    if (path !== MEMORY) prepareFile(path)
    // Until all is set, waiting is left to `retryWhileBusy`.
    database = new Database(path, { timeout: 0 })
    await configure(database, path)
    return database
  } catch (error) {
    database?.close()
    throw new Error(`Cannot open the SQLite database ${JSON.stringify(path)}: ${reasonOf(error, path)}.`, {
      cause: error,
    })
  }
}

function prepareFile(path: string): void {
  mkdirSync(dirname(path), { recursive: true })
  const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0
  // SQLite takes a shorter file for an empty database and would write over somebody's note.
  if (size > 0 && size < SMALLEST_DATABASE_BYTES) throw new Error(NO_DATABASE)
}

async function configure(database: Database.Database, path: string): Promise<void> {
  // Readers and a writer do not hold each other up. Also the first look into the file: here it turns out to be none.
  const mode = await retryWhileBusy(() => database.pragma('journal_mode = wal', { simple: true }))
  if (mode !== 'wal' && path !== MEMORY) throw new Error(`its file system cannot keep a write-ahead log (${mode})`)
  // An answered write survives a power cut. docs/decisions/0010-sqlite-durability.md
  database.pragma('synchronous = full')
  database.pragma(`busy_timeout = ${BUSY_TIMEOUT_MS}`)
}

function reasonOf(error: unknown, path: string): string {
  const { code, message } = error as NodeJS.ErrnoException // Nothing but errors is thrown above, most with a code.
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) return 'it is a folder'
  if (code === 'SQLITE_NOTADB') return NO_DATABASE
  if (code?.startsWith('SQLITE_READONLY')) return 'it cannot be written'
  return message
}
