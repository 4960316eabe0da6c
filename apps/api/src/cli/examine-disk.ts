import { access, constants, stat, statfs } from 'node:fs/promises'
import { dirname } from 'node:path'
import { systemUser } from '../settings/system-user.ts'

/** What was checked, and what to do about it. An error prevents `serve` from starting. */
export interface Finding {
  readonly check: string
  readonly state: 'ok' | 'warning' | 'error'
  readonly message: string
  readonly remedy?: string
}

const MIN_FREE_BYTES = 100e6
const check = 'disk'

/** Whether the folder of an SQLite database is there, or can be created, may be written and has space. */
export async function examineDisk(folder: string): Promise<Finding> {
  try {
    if (!(await stat(folder)).isDirectory()) {
      const remedy = 'a folder of that name is needed: move the file, or change DATABASE_URL'
      return { check, state: 'error', message: `${folder} is a file`, remedy }
    }
    await access(folder, constants.W_OK | constants.X_OK)
    const { bavail, bsize } = await statfs(folder)
    const freeBytes = bavail * bsize
    const message = `${Math.floor(freeBytes / 1e6).toLocaleString('en')} MB free in ${folder}`
    if (freeBytes >= MIN_FREE_BYTES) return { check, state: 'ok', message }
    return { check, state: 'error', message, remedy: 'free some space, or move the database to another disk' }
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException
    // It is created in the one around it.
    if (code === 'ENOENT' && folder !== dirname(folder)) return examineDisk(dirname(folder))
    const message = `the user ${systemUser()} may not write in ${folder} (${code})`
    return { check, state: 'error', message, remedy: 'run as the owner of the folder, or change its owner' }
  }
}
