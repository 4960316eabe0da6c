import { type OnCopied, type SqliteBackup, writeCheckedCopy } from './database/checked-copy.ts'
import { assertOneName, assertReplaceable } from './database/files/file-access.ts'
import { linkTarget, removeLogs } from './database/files/logs.ts'
import { type SqliteOptions, sqlitePath } from './database/settings.ts'

/**
 * Writes a consistent copy of a database to a file, even while a service writes to the database,
 * and checks the copy. An existing backup is replaced, and its log removed, once the copy is
 * complete; a file that is not an SQLite database is never replaced. Rejects with an error that
 * names the file. `onCopied` is called with the progress of the copy; after its last call the copy
 * is checked.
 */
export async function backupSqlite(
  { url }: Pick<SqliteOptions, 'url'>,
  file: string,
  onCopied?: OnCopied,
): Promise<SqliteBackup> {
  const path = sqlitePath(url)
  assertOneName(path)
  assertReplaceable(file)
  return writeCheckedCopy(linkTarget(file), path, removeLogs, onCopied)
}
