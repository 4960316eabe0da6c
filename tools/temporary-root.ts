import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'

const PREFIX = 'pet-store-run-'

/**
 * Gives the temporary files of this process and of every process that it starts one folder, which is removed when it
 * ends: programs that a test kills cannot remove their own. The code that Node compiles is among them: hundreds of
 * processes of a run load the same modules, and starting the program from its source takes half as long.
 */
export function useTemporaryRoot(): void {
  // Vitest reads its configuration anew for each project.
  if (basename(tmpdir()).startsWith(PREFIX)) return
  const root = mkdtempSync(join(tmpdir(), PREFIX))
  // Like the system's own: some tests run programs as another user.
  chmodSync(root, 0o1777)
  process.env['TMPDIR'] = root
  process.env['NODE_COMPILE_CACHE'] = join(root, 'compile-cache')
  process.once('exit', () => rmSync(root, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 }))
}
