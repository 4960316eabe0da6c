import { chmodSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'

const PREFIX = 'pet-store-run-'

/**
 * Gives the temporary files of this process and of every process that it starts one folder, which is removed when it
 * ends: programs that a test kills cannot remove their own. What a run has left that was killed itself, the next one
 * removes. The code that Node compiles is
 * among the files: hundreds of processes of a run load the same modules, and starting the program from its source takes
 * half as long.
 */
export function useTemporaryRoot(): void {
  // Vitest reads its configuration anew for each project.
  if (basename(tmpdir()).startsWith(PREFIX)) return
  removeAbandoned(tmpdir())
  const root = mkdtempSync(join(tmpdir(), `${PREFIX}${process.pid}-`))
  // Like the system's own: some tests run programs as another user.
  chmodSync(root, 0o1777)
  process.env['TMPDIR'] = root
  process.env['NODE_COMPILE_CACHE'] = join(root, 'compile-cache')
  process.once('exit', () => remove(root))
}

/** Removes the folders of runs whose process has ended. */
function removeAbandoned(folder: string): void {
  for (const name of readdirSync(folder)) {
    const pid = new RegExp(`^${PREFIX}(\\d+)-`).exec(name)?.[1]
    if (pid !== undefined && !isRunning(Number(pid))) remove(join(folder, name))
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

/** As far as it can: a process that still writes, or belongs to another user, must not make the run fail. */
function remove(folder: string): void {
  try {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 })
  } catch {
    // The next run tries again.
  }
}
