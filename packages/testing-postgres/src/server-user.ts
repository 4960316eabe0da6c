import { execFile } from 'node:child_process'
import { tmpdir } from 'node:os'
import { promisify } from 'node:util'

const run = promisify(execFile)
/** PostgreSQL does not run as root; this is the user `nobody` of usual systems. */
const NOBODY = 65534

/** Whether this process runs as root. */
export function isRoot(): boolean {
  return process.getuid?.() === 0
}

/** Makes a file or a folder belong to the user of the server. */
export async function giveToServer(path: string): Promise<void> {
  if (isRoot()) await run('chown', ['-R', `${NOBODY}:${NOBODY}`, path])
}

/** Options for a process that runs as the user of the server. */
export function asNobody(): { uid?: number; gid?: number; cwd: string } {
  return isRoot() ? { uid: NOBODY, gid: NOBODY, cwd: '/' } : { cwd: tmpdir() }
}
