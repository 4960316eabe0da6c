import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A folder of its own, so that no two tests share a file. It lies in the folder of the test run, which is removed with it. */
export function temporaryFolder(): string {
  return mkdtempSync(join(tmpdir(), 'pet-store-'))
}
