import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ContractDatabase } from './open-program.ts'

/** An SQLite file in a folder of its own. */
export async function createTemporarySqlite(): Promise<ContractDatabase> {
  const folder = mkdtempSync(join(tmpdir(), 'pet-store-contract-'))
  return {
    url: `sqlite:${join(folder, 'pet-store.db')}`,
    async drop() {
      rmSync(folder, { recursive: true })
    },
  }
}
