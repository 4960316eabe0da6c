import { join } from 'node:path'
import { INT64 } from '@pet-store/domain'
import { temporaryFolder } from '@pet-store/testing'
import Database from 'better-sqlite3'
import { beforeEach, expect, it, onTestFinished } from 'vitest'
import { openSqliteBulkAccess } from './bulk-access.ts'
import { openSqlitePersistence } from './open-persistence.ts'

let path: string

beforeEach(async () => {
  path = join(await temporaryFolder(), 'pets.db')
})

const KEY = {
  sha256: '0'.repeat(64),
  id: 'one',
  name: "Till's \\ ?",
  scopes: ['pets:read'] as const,
  createdAt: new Date(),
}

it('integers of 64 bits are exact through the ORM', async () => {
  const bulk = await openSqliteBulkAccess({ url: `sqlite:${path}`, mode: 'migrate' })
  onTestFinished(() => bulk.close())
  const imports = [INT64.min, -(2n ** 53n) - 1n, 0n, 2n ** 53n + 1n, INT64.max].map((id) => ({
    id,
    sha256: 'a',
    state: 'finished' as const,
    lines: 7,
    changedAt: new Date(5),
  }))
  await bulk.writePetImports(imports)
  expect(await bulk.readPetImports()).toEqual(imports)
})

it('work through the ORM waits for another writing process without blocking its own', async () => {
  const { apiKeys, close } = await openSqlitePersistence({ url: `sqlite:${path}`, mode: 'migrate' })
  onTestFinished(() => close())
  const other = new Database(path)
  onTestFinished(() => void other.close())
  other.exec('begin immediate')
  const adding = apiKeys.add(KEY)
  expect(await apiKeys.list()).toEqual([])
  other.exec('rollback')
  await adding
  expect(await apiKeys.findByHash(KEY.sha256)).toMatchObject({ name: KEY.name })
})
