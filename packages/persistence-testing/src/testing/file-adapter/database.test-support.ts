import { statSync } from 'node:fs'
import { DatabaseSync, type StatementSync } from 'node:sqlite'

/** An SQLite file that is open, with its statements. */
export interface FileDatabase {
  readonly file: DatabaseSync
  /** Identifies the file: another one may be at its path by now. */
  readonly inode: number
  readonly readVersion: StatementSync
  readonly readState: StatementSync
  readonly readRows: StatementSync
  readonly writeState: StatementSync
  readonly writeRow: StatementSync
  readonly deleteRow: StatementSync
}

/** Opening a file takes five times as long as most transactions. */
const idle = new Map<string, FileDatabase>()
/** Fewer than a case of leaks allows for. */
const MAX_IDLE = 3

const SCHEMA = `
  create table if not exists state (id integer primary key, version text, bytes);
  create table if not exists row (kind integer, key text, bytes, unique (kind, key))`

/** Runs a transaction on a file, which no other process uses meanwhile. */
export function onFile<Result>(path: string, work: (database: FileDatabase) => Result): Result {
  const database = takeIdle(path) ?? open(path)
  try {
    database.file.exec('begin immediate')
    const result = work(database)
    database.file.exec('commit')
    keepIdle(path, database)
    return result
  } catch (error) {
    database.file.close()
    throw error
  }
}

function takeIdle(path: string): FileDatabase | undefined {
  const database = idle.get(path)
  idle.delete(path)
  if (database === undefined) return undefined
  if (statSync(path, { throwIfNoEntry: false })?.ino === database.inode) return database
  database.file.close()
  return undefined
}

/** The one that was not used for longest is closed. */
function keepIdle(path: string, database: FileDatabase): void {
  idle.set(path, database)
  for (const [oldest, { file }] of idle) {
    if (idle.size <= MAX_IDLE) return
    idle.delete(oldest)
    file.close()
  }
}

function open(path: string): FileDatabase {
  const file = new DatabaseSync(path, { timeout: 60_000 })
  try {
    file.exec(`pragma synchronous = off; begin immediate; ${SCHEMA}; commit`)
    return {
      file,
      inode: statSync(path).ino,
      readVersion: file.prepare('select version from state'),
      readState: file.prepare('select bytes from state'),
      readRows: file.prepare('select bytes from row where kind = ? order by rowid'),
      writeState: file.prepare('insert or replace into state values (1, ?, ?)'),
      // A row that is written again keeps its position, as an entry of a map does.
      writeRow: file.prepare(
        'insert into row values (?, ?, ?) on conflict do update set bytes = excluded.bytes',
      ),
      deleteRow: file.prepare('delete from row where kind = ? and key = ?'),
    }
  } catch (error) {
    file.close()
    throw error
  }
}
