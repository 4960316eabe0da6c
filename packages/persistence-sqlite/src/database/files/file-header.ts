import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { idOf } from './file-id.ts'

// https://sqlite.org/fileformat2.html#the_database_header
const HEADER_BYTES = 100
const DATABASE_START = Buffer.from('SQLite format 3\0')
const WRITE_VERSION = 18
const READ_VERSION = 19
const WITH_LOG = 2

export const NO_DATABASE = 'the file is not an SQLite database'

/** Whether a file begins as every SQLite database does. */
export function isDatabase(path: string): boolean {
  return readHeader(path).subarray(0, DATABASE_START.length).equals(DATABASE_START)
}

/**
 * Whether the header of a file says that it has a write-ahead log, as it does before its first log
 * is written. Backups, and files made by other tools, say that they have none. `id` is that of a
 * file whose header was read before: it is read again wherever that file is now.
 */
export function isWithLog(path: string, id?: string): boolean {
  const header = readHeader(path, id)
  return header[WRITE_VERSION] === WITH_LOG && header[READ_VERSION] === WITH_LOG
}

/** Used again for each file: every write reads a header twice, and a new buffer takes longer. */
const lastHeader = Buffer.alloc(HEADER_BYTES)

function readHeader(path: string, id: string = idOf(path)): Buffer {
  const descriptor = descriptors.get(id) ?? openDescriptor(path, id)
  lastHeader.fill(0)
  readSync(descriptor, lastHeader, 0, HEADER_BYTES, 0)
  return lastHeader
}

/**
 * The descriptors of files whose headers were read, by the id of the file. They stay open, because
 * closing any descriptor of a file gives up all locks that this process holds on it, those of
 * SQLite too. Only those of deleted files are closed, on which no lock matters any longer.
 */
const descriptors = new Map<string, number>()

function openDescriptor(path: string, id: string): number {
  for (const [idOfOther, other] of descriptors) {
    if (fstatSync(other).nlink > 0) continue
    descriptors.delete(idOfOther)
    closeSync(other)
  }
  const descriptor = openSync(path, 'r')
  descriptors.set(id, descriptor)
  return descriptor
}
