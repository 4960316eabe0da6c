import { accessSync, constants, existsSync, readFileSync, realpathSync, statSync } from 'node:fs'
import { userInfo } from 'node:os'
import { dirname } from 'node:path'
import { isDatabase, NO_DATABASE } from './file-header.ts'

const SMALLEST_DATABASE_BYTES = 512

/** Throws if a file is missing and must not be created, or is too short to be a database. */
export function assertDatabaseFile(path: string, mayCreate: boolean): void {
  const stats = statSync(path, { throwIfNoEntry: false })
  if (stats === undefined && !mayCreate) throw new Error('there is no such file')
  const size = stats?.size ?? 0
  // SQLite treats a shorter file as an empty database and would overwrite it.
  if (size > 0 && size < SMALLEST_DATABASE_BYTES) throw new Error(NO_DATABASE)
}

/** Throws if a file is neither empty nor a database: a mistyped name must not replace it. */
export function assertReplaceable(file: string): void {
  const stats = statSync(file, { throwIfNoEntry: false })
  if (!stats?.isFile() || stats.size === 0 || isDatabase(file)) return
  throw new Error(
    `Cannot write ${JSON.stringify(file)}: it is a file of another kind, not a backup. ` +
      'Remove it, or choose another name.',
  )
}

/**
 * Throws if a file has hard links: SQLite keeps a log for each name, and would not find what is
 * stored in the log of another name.
 */
export function assertOneName(path: string): void {
  const stats = statSync(path, { throwIfNoEntry: false })
  // A folder has a name more for each folder in it.
  const names = stats?.isFile() ? stats.nlink : 1
  if (names > 1)
    throw new Error(`the file has ${names} names (hard links). Remove the others, or use a copy`)
}

/**
 * Throws if a file is mounted alone, as `docker run --volume ./pets.db:/data/pets.db` does. SQLite
 * keeps its log in the folder, which then belongs to the container and is deleted with it. Only
 * Linux says what is mounted.
 */
export function assertNotMountedAlone(path: string): void {
  if (!existsSync(path) || !mountPoints().includes(realpathSync(path))) return
  throw new Error(
    'the file is mounted alone, without its folder, in which SQLite keeps its log. ' +
      'Mount the folder instead',
  )
}

function mountPoints(): readonly string[] {
  try {
    const mounts = readFileSync('/proc/self/mountinfo', 'utf8').split('\n')
    return mounts.map((line) => withoutEscapes(line.split(' ')[4] ?? ''))
  } catch {
    return []
  }
}

/** Linux writes a space, a tab, a line feed and a backslash as `\` and three octal digits. */
function withoutEscapes(mountPoint: string): string {
  return mountPoint.replaceAll(/\\([0-7]{3})/g, (_, octal: string) =>
    String.fromCharCode(Number.parseInt(octal, 8)),
  )
}

/**
 * Throws if this user lacks a right that is needed. SQLite would open a file that it may not write
 * for reading, without an error: only later writes would fail.
 */
export function assertAccess(path: string, readOnly: boolean): void {
  if (existsSync(path)) assertRight(path, constants.R_OK, 'read the file')
  if (readOnly) return
  if (existsSync(path)) assertRight(path, constants.W_OK, 'write the file')
  const folder = dirname(path)
  const work = `write in the folder ${JSON.stringify(folder)}, where SQLite keeps its log`
  assertRight(folder, constants.W_OK, work)
}

function assertRight(path: string, right: number, work: string): void {
  try {
    accessSync(path, right)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    const reason =
      code === 'EROFS' ? `the file system of ${JSON.stringify(path)} is read-only` : undefined
    throw new Error(reason ?? `${user()} may not ${work}`, { cause: error })
  }
}

/** The user of this process, by name and number, for messages. */
export function user(): string {
  try {
    const { username, uid } = userInfo()
    return `the user ${username} (uid ${uid})`
  } catch {
    // A container may run as a user without a name.
    return `the user with uid ${process.geteuid?.()}`
  }
}
