import { spawnSync } from 'node:child_process'
import { chmodSync, mkdtempSync, readdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'

const PREFIX = 'pet-store-run-'
/** Linux's file system in memory. */
const IN_MEMORY = '/dev/shm'
/** Several times what a run has at most, so that it takes memory from nobody. */
const MIN_FREE_BYTES = 8 * 2 ** 30

/**
 * Gives the temporary files of this process and of every process that it starts one folder, which
 * is removed when it ends: programs that a test kills cannot remove their own. What a run has left
 * that was killed itself, the next one removes. The folder is in memory if it may be and there is
 * enough of it: a run makes hundreds of databases, and no test depends on what a power failure
 * leaves. The code that Node compiles is among the files: processes of a run load the same modules.
 */
export function useTemporaryRoot(mayBeInMemory = true): void {
  // Vitest reads its configuration anew for each project.
  if (basename(tmpdir()).startsWith(PREFIX)) return
  const parent =
    mayBeInMemory && process.env['TMPDIR'] === undefined && isRoomy(IN_MEMORY)
      ? IN_MEMORY
      : tmpdir()
  for (const folder of new Set([parent, tmpdir()])) removeAbandoned(folder)
  const root = mkdtempSync(join(parent, `${PREFIX}${process.pid}-`))
  // Like the system's own: some tests run programs as another user.
  chmodSync(root, 0o1777)
  process.env['TMPDIR'] = root
  process.env['NODE_COMPILE_CACHE'] = join(root, 'compile-cache')
  process.once('exit', () => remove(root))
}

/** Whether a folder in memory has room, and takes programs: containers allow neither by default. */
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
      // Otherwise it runs, as another user.
      if ((error as NodeJS.ErrnoException).code === 'ESRCH') remove(join(folder, name))
    }
  }
}

/**
 * As far as it can: a process that still writes, or belongs to another user, must not make the run
 * fail.
 */
function remove(folder: string): void {
  try {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 })
  } catch {
    // The next run tries again.
  }
}
