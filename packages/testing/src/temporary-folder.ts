import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/**
 * Makes a folder for one test, so that no two tests share a file. It is in the temporary folder of
 * the test run, which is removed at the end.
 */
export function temporaryFolder(): Promise<string> {
  return mkdtemp(join(tmpdir(), 'pet-store-'))
}
