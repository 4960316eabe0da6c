import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { bulkAccessContract } from '@pet-store/persistence-testing'
import { afterAll, beforeAll, describe, it } from 'vitest'
import { openSqliteBulkAccess } from './bulk-access.ts'

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'pet-store-'))
})
afterAll(() => rmSync(folder, { recursive: true }))

describe('SQLite fulfils the BulkAccess contract', () => {
  for (const { id, name, run } of bulkAccessContract) {
    it(name, async () => {
      const bulk = await openSqliteBulkAccess({ url: `sqlite:${folder}/${id}.db`, migrate: true })
      try {
        await run(bulk)
      } finally {
        await bulk.close()
      }
    })
  }
})
