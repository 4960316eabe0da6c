import { spawnSync } from 'node:child_process'
import { chmodSync, mkdtempSync, readdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'

const PREFIX = 'pet-store-run-'
/** Linux's file system in memory. */
const IN_MEMORY = '/dev/shm'
/** Several times what a run needs at most, so that no other program lacks memory. */
const MIN_FREE_BYTES = 8 * 2 ** 30

/**
 * Gives the temporary files of this process and of every process that it starts one folder, which
 * is removed when it ends: programs that a test kills cannot remove their own files. If this
 * process is killed, the next run removes the folder. It is in memory if `mayBeInMemory` and if
 * there is enough memory: a run makes hundreds of databases, and no test depends on what is left
 * after a power failure. Node's compile cache is there too: the processes of a run load the same
 * modules.
 */
export function useTemporaryRoot(mayBeInMemory = true): void {
  // Vitest reads its configuration again for each project.
  if (basename(tmpdir()).startsWith(PREFIX)) return
  const parent =
    mayBeInMemory && process.env['TMPDIR'] === undefined && isRoomy(IN_MEMORY)
      ? IN_MEMORY
      : tmpdir()
  for (const folder of new Set([parent, tmpdir()])) removeAbandoned(folder)
  const root = mkdtempSync(join(parent, `${PREFIX}${process.pid}-`))
  // Like the system's temporary folder: some tests run programs as another user.
  chmodSync(root, 0o1777)
  process.env['TMPDIR'] = root
  process.env['NODE_COMPILE_CACHE'] = join(root, 'compile-cache')
  process.once('exit', () => remove(root))
}

/**
 * Whether a folder in memory has room and programs in it may run: in containers, neither is so by
 * default.
 */
function isRoomy(folder: string): boolean {
  try {
    const { bavail, bsize } = statfsSync(folder)
    if (Math.min(bavail * bsize, process.availableMemory()) < MIN_FREE_BYTES) return false
    const program = join(mkdtempSync(join(folder, `${PREFIX}${process.pid}-`)), 'program')
    writeFileSync(program, '#!/bin/sh\n', { mode: 0o755 })
    const { status } = spawnSync(program)
    remove(join(program, '..'))
    return status === 0
  } catch {
    return false
  }
}

/** Removes the folders of runs whose process has ended. */
function removeAbandoned(folder: string): void {
  for (const name of readdirSync(folder)) {
    const pid = new RegExp(`^${PREFIX}(\\d+)-`).exec(name)?.[1]
    if (pid === undefined) continue
    try {
      process.kill(Number(pid), 0)
    } catch (error) {
      // Any other error means that it runs, as another user.
      if ((error as NodeJS.ErrnoException).code === 'ESRCH') remove(join(folder, name))
    }
  }
}

/** Does not fail if another process still writes there, or if the folder is another user's. */
function remove(folder: string): void {
  try {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 })
  } catch {
    // The next run tries again.
  }
}
