import {
  existsSync,
  openSync,
  readlinkSync,
  readSync,
  realpathSync,
  rmSync,
  statSync,
} from 'node:fs'
import { dirname, resolve } from 'node:path'
import { NO_DATABASE } from './file-access.ts'

/**
 * What SQLite keeps beside a file: the write-ahead log, which holds what was stored since the last
 * checkpoint; the rollback journal; and the index of the write-ahead log, which holds nothing.
 */
export const LOGS = ['-wal', '-journal'] as const
export const LOG_INDEX = '-shm'

/** Where a link leads, even if nothing is there yet: SQLite keeps the logs there. */
export function linkTarget(path: string): string {
  try {
    const target = resolve(dirname(path), readlinkSync(path))
    return existsSync(path) ? realpathSync(path) : target
  } catch {
    // It is no link.
    return path
  }
}

/** The logs beside a file that hold something. */
export function logsBeside(path: string): readonly string[] {
  return LOGS.map((name) => `${linkTarget(path)}${name}`).filter((log) => sizeOf(log) > 0)
}

export function removeLogs(path: string): void {
  for (const name of [...LOGS, LOG_INDEX]) rmSync(`${path}${name}`, { force: true })
}

/**
 * Throws if a log lies where its file is missing or was emptied: SQLite would delete the log, and
 * with it what was stored last.
 */
export function assertNoOrphanedLog(path: string): void {
  const isMissing = !existsSync(path)
  if (!isMissing && sizeOf(path) > 0) return
  // A process that is killed while it creates a file leaves a journal beside an empty one.
  const log = logsBeside(path).find((name) => isMissing || name.endsWith('-wal'))
  if (log === undefined) return
  throw new Error(
    `the file is ${isMissing ? 'missing' : 'empty'}, ` +
      `but its log ${JSON.stringify(log)} is there. ` +
      'Put back the file that was there, or restore a backup, which keeps the log',
  )
}

/** Throws if a write-ahead log lies beside a file that it was not written for. */
export function assertOwnLog(path: string): void {
  if (hasOwnLog(path)) return
  const log = JSON.stringify(`${linkTarget(path)}-wal`)
  throw new Error(
    `the log ${log} beside it was written for another file, and would damage this one. ` +
      'Put that file back, or move the log away',
  )
}

/** SQLite applies any log of that name. Also true where there is none. */
export function hasOwnLog(path: string): boolean {
  if (sizeOf(`${linkTarget(path)}-wal`) === 0) return true
  const header = readHeader(path)
  if (header.toString('latin1', 0, SIGNATURE.length) !== SIGNATURE) throw new Error(NO_DATABASE)
  // A file gets its first log after it says so; backups and dumps are files without.
  return header[WRITE_VERSION] === WITH_LOG && header[READ_VERSION] === WITH_LOG
}

// https://sqlite.org/fileformat2.html#the_database_header
const SIGNATURE = 'SQLite format 3\0'
const WRITE_VERSION = 18
const READ_VERSION = 19
const WITH_LOG = 2
const HEADER_BYTES = 100

/**
 * Closing any descriptor of a file gives up all locks that SQLite holds on it in this process, so
 * these stay open: one for each file that was opened with a log beside it.
 */
const descriptors = new Map<string, number>()

function readHeader(path: string): Buffer {
  const { dev, ino } = statSync(path, { bigint: true })
  const file = `${dev}:${ino}`
  const descriptor = descriptors.get(file) ?? openSync(path, 'r')
  descriptors.set(file, descriptor)
  const header = Buffer.alloc(HEADER_BYTES)
  readSync(descriptor, header, 0, HEADER_BYTES, 0)
  return header
}

export function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0
}
