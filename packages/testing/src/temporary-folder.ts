import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/**
 * A folder of its own, so that no two tests share a file. It lies in the folder of the test run,
 * which is removed with it.
 */
export function temporaryFolder(): Promise<string> {
  return mkdtemp(join(tmpdir(), 'pet-store-'))
}
