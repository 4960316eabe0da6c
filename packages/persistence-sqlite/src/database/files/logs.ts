import { existsSync, readlinkSync, realpathSync, rmSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { isDatabase, isWithLog, NO_DATABASE } from './file-header.ts'

/**
 * The endings of the files that SQLite keeps beside a database: the write-ahead log, with what was
 * stored since the last checkpoint; the rollback journal; and the index of the write-ahead log,
 * which can be made again from the log.
 */
export const LOGS = ['-wal', '-journal'] as const
export const LOG_INDEX = '-shm'

/** The target of a link, even if it is missing: SQLite keeps the logs beside the target. */
export function linkTarget(path: string): string {
  try {
    const target = resolve(dirname(path), readlinkSync(path))
    return existsSync(path) ? realpathSync(path) : target
  } catch {
    // It is no link.
    return path
  }
}

/** The logs beside a file that are not empty. */
export function logsBeside(path: string): readonly string[] {
  return LOGS.map((name) => `${linkTarget(path)}${name}`).filter((log) => sizeOf(log) > 0)
}

export function removeLogs(path: string): void {
  for (const name of [...LOGS, LOG_INDEX]) rmSync(`${path}${name}`, { force: true })
}

/**
 * Throws if there is a log whose file is missing or empty: SQLite would delete the log, and with it
 * what was stored last.
 */
export function assertNoOrphanedLog(path: string): void {
  // Before the file: another process that creates both just now creates the file first.
  const logs = logsBeside(path)
  const isMissing = !existsSync(path)
  if (!isMissing && sizeOf(path) > 0) return
  // A journal beside an empty file is normal: a process was killed while it created the database.
  const log = logs.find((name) => isMissing || name.endsWith('-wal'))
  if (log === undefined) return
  throw new Error(
    `the file is ${isMissing ? 'missing' : 'empty'}, ` +
      `but its log ${JSON.stringify(log)} is there. ` +
      'Put back the file that was there, or restore a backup, which keeps the log',
  )
}

/** Throws if there is a write-ahead log beside a file for which it was not written. */
export function assertOwnLog(path: string): void {
  if (hasOwnLog(path)) return
  const log = JSON.stringify(`${linkTarget(path)}-wal`)
  throw new Error(
    `the log ${log} beside it was written for another file, and would damage this one. ` +
      'Put that file back, or move the log away',
  )
}

/**
 * Whether the write-ahead log beside a file, if any, belongs to the file. SQLite itself would apply
 * any log that has the right name.
 */
export function hasOwnLog(path: string): boolean {
  if (sizeOf(`${linkTarget(path)}-wal`) === 0) return true
  if (!isDatabase(path)) throw new Error(NO_DATABASE)
  return isWithLog(path)
}

export function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0
}
