import { type OnCopied, type SqliteBackup, writeCheckedCopy } from './database/checked-copy.ts'
import { assertOneName, assertReplaceable } from './database/file-access.ts'
import { linkTarget, removeLogs } from './database/logs.ts'
import { type SqliteOptions, sqlitePath } from './database/settings.ts'

/**
 * Writes a consistent copy of a database to a file, even while a service writes to it, and checks
 * the copy. An existing backup is replaced when the copy is complete, and its log is removed; a
 * file of another kind is not. Rejects with an error that names the file. `onCopied` is called with
 * the progress of the copy; checking begins with its last call.
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
