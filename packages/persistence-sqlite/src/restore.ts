import { constants, copyFileSync, existsSync, linkSync, renameSync } from 'node:fs'
import { dirname } from 'node:path'
import { type OnCopied, type SqliteBackup, writeCheckedCopy } from './database/checked-copy.ts'
import { withSqliteDatabase } from './database/database.ts'
import { createFolder, syncFile } from './database/files/file-sync.ts'
import { LOGS, linkTarget, logsBeside, removeLogs } from './database/files/logs.ts'
import { MEMORY, type SqliteOptions, sqlitePath } from './database/settings.ts'
import { assertPetStore } from './migrations.ts'

/** The result of a restore. */
export interface RestoredSqlite extends SqliteBackup {
  /** The new paths of the replaced database and its logs; empty if there were none. */
  readonly previousFiles: readonly string[]
}

/**
 * Replaces a database, which no process may have open, by a backup. The existing database, even a
 * damaged one, is kept under another name, and so is a log whose database is missing. If there is
 * one, its own name is never free: first the existing file has it, then the restored one. Rejects,
 * and changes nothing, if the backup is damaged, or of another program or a newer version.
 * `onCopied` is called as by `backupSqlite`.
 */
export async function restoreSqlite(
  { url }: Pick<SqliteOptions, 'url'>,
  file: string,
  onCopied?: OnCopied,
): Promise<RestoredSqlite> {
  const named = sqlitePath(url)
  if (named === MEMORY) throw new Error('A backup cannot be restored into memory.')
  await withSqliteDatabase(file, { readOnly: true }, assertPetStore)
  const path = linkTarget(named)
  createFolder(dirname(path))
  const previousFiles: string[] = []
  const keep = () => previousFiles.push(...keepFiles(path))
  const { pets } = await writeCheckedCopy(path, file, keep, onCopied)
  return { pets, previousFiles }
}

/**
 * Gives a database a second name, and moves its logs to that name: SQLite would apply logs that
 * stay to the restored database. Returns the new names.
 */
function keepFiles(path: string): readonly string[] {
  const logs = logsBeside(path)
  if (!existsSync(path) && logs.length === 0) return []
  const kept = keepUnderFreeName(path)
  for (const log of logs) renameSync(log, log.replace(path, kept))
  removeLogs(path)
  return [kept, ...logs.map((log) => log.replace(path, kept))].filter((name) => existsSync(name))
}

/** Gives a file a second name that neither a file nor a log has, and returns it. */
function keepUnderFreeName(path: string): string {
  const time = new Date().toISOString().replaceAll(/[-:]|\.\d+/g, '')
  for (let attempt = 1; ; attempt += 1) {
    const name = attempt === 1 ? `${path}.${time}` : `${path}.${time}-${attempt}`
    if (LOGS.some((log) => existsSync(`${name}${log}`))) continue
    try {
      if (existsSync(path)) linkOrCopy(path, name)
      return name
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    }
  }
}

/** The errors of a file system that has no hard links, or that allows no more for a file. */
const NO_LINKS: readonly unknown[] = ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK']

/** Throws EEXIST if a file already has the new name. */
function linkOrCopy(path: string, name: string): void {
  try {
    linkSync(path, name)
  } catch (error) {
    if (!NO_LINKS.includes((error as NodeJS.ErrnoException).code)) throw error
    copyFileSync(path, name, constants.COPYFILE_EXCL)
    syncFile(name)
  }
}
