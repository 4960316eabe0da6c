import { closeSync, openSync, readSync } from 'node:fs'
import Database from 'better-sqlite3'
import { codeOf } from '../failures.ts'
import { linkTarget, sizeOf } from './logs.ts'

/** Larger files are not checked page by page, which takes half a second for a million pets. */
const MAX_CHECKED_BYTES = 256_000_000

/**
 * Throws if a file does not fit the log beside it: it may be an older copy of the file, which the
 * log would damage. Does not apply the log itself.
 */
export function assertLogFits(path: string): void {
  const log = `${linkTarget(path)}-wal`
  const damage = sizeOf(log) > 0 ? findDamage(path, log) : undefined
  if (damage === undefined) return
  throw new Error(
    `it does not fit the log ${JSON.stringify(log)} beside it, or is damaged (${damage}). ` +
      'Put the file back that the log was written for, or restore a backup, which keeps both',
  )
}

function findDamage(path: string, log: string): string | undefined {
  // Only a connection with `readonly` does not move the log into the file when it closes.
  const database = new Database(path, { readonly: true, timeout: 0 })
  try {
    const { ofFile, ofLog } = pageCounts(database, log)
    if (ofFile !== ofLog) return `it has ${ofFile} pages, by the log ${ofLog}`
    if (sizeOf(path) > MAX_CHECKED_BYTES) return undefined
    const result = String(database.pragma('quick_check(1)', { simple: true }))
    // The first line of a problem only names the database.
    return result === 'ok' ? undefined : result.split('\n').at(-1)
  } catch (error) {
    // Any other error tells nothing about the file: this user may not read the log, or another
    // process is recovering it.
    return codeOf(error).startsWith('SQLITE_CORRUPT') ? (error as Error).message : undefined
  } finally {
    database.close()
  }
}

/** How often both counts are read: while another process writes, they may be of different times. */
const ATTEMPTS = 10

/**
 * Returns the number of pages of the database after the last transaction of its log: the count in
 * the header of the database, and the count in the log. They differ if the log does not fit.
 */
function pageCounts(database: Database.Database, log: string) {
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const frames = framesOf(database)
    if (frames <= 0) break
    const ofFile = database.pragma('page_count', { simple: true }) as number
    const ofLog = readPageCount(database, log, frames)
    if (ofFile === ofLog || framesOf(database) === frames) return { ofFile, ofLog }
  }
  return { ofFile: 0, ofLog: 0 }
}

/** The number of frames in the log. */
function framesOf(database: Database.Database): number {
  // `noop` moves nothing into the file.
  const [state] = database.pragma('wal_checkpoint(noop)') as { readonly log: number }[]
  return state?.log ?? 0
}

// https://sqlite.org/fileformat2.html#the_write_ahead_log
const LOG_HEADER_BYTES = 32
const FRAME_HEADER_BYTES = 24
const PAGES_AFTER_COMMIT = 4

/** Reads the page count from the header of the last frame. */
function readPageCount(database: Database.Database, log: string, frames: number): number {
  const pageBytes = database.pragma('page_size', { simple: true }) as number
  const lastFrame = LOG_HEADER_BYTES + (frames - 1) * (FRAME_HEADER_BYTES + pageBytes)
  const header = Buffer.alloc(FRAME_HEADER_BYTES)
  const descriptor = openSync(log, 'r')
  try {
    readSync(descriptor, header, 0, FRAME_HEADER_BYTES, lastFrame)
  } finally {
    // This gives up no lock of SQLite, which locks the other files, not the log.
    closeSync(descriptor)
  }
  return header.readUInt32BE(PAGES_AFTER_COMMIT)
}
