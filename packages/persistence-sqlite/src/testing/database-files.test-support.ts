import { spawnSync } from 'node:child_process'
import { aNewPet } from '@pet-store/persistence-testing'
import Database from 'better-sqlite3'
import { expect } from 'vitest'
import { openSqlitePersistence, type SqlitePersistence } from '../open-persistence.ts'

/** Opens a database, and creates it if it is missing. */
export function openMigrated(url: string): Promise<SqlitePersistence> {
  return openSqlitePersistence({ url, mode: 'migrate' })
}

/** Stores pets, and closes the database, which removes its log. */
export async function addPets(url: string, count: number): Promise<void> {
  const { pets, close } = await openMigrated(url)
  await Promise.all(Array.from({ length: count }, () => pets.add(aNewPet())))
  await close()
}

/** Stores pets in another process and kills it, so that the log stays. */
export function addPetsAndKill(url: string, count: number): void {
  const code = `
    import { openSqlitePersistence } from '../open-persistence.ts'
    const { pets } = await openSqlitePersistence({ url: ${JSON.stringify(url)}, mode: 'migrate' })
    for (let n = 0; n < ${count}; n += 1) await pets.add({ name: 'Rex', categoryId: 1n })
    process.kill(process.pid, 'SIGKILL')`
  const node = ['--conditions=@pet-store/source', '--input-type=module', '--eval', code]
  const { signal } = spawnSync(process.execPath, node, { cwd: import.meta.dirname })
  expect(signal).toBe('SIGKILL')
}

/** Counts the pets in a file without this package. */
export function countPets(file: string): unknown {
  const database = new Database(file, { readonly: true })
  const count = database.prepare('select count(*) from pet').pluck().get()
  database.close()
  return count
}
