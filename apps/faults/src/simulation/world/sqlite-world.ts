import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openSqliteBulkAccess, openSqlitePersistence } from '@pet-store/persistence-sqlite'
import { runInVirtualTime, type WorldResult } from './run-in-virtual-time.ts'
import { SimulatedFiles } from './simulated-files.ts'
import { World } from './world.ts'

/** Runs the world of a seed on SQLite. The same seed makes the same world. */
export async function runSqliteWorld(seed: number): Promise<WorldResult> {
  const template = await migratedFile()
  const world = new World(seed, (code) => !/^SQLITE_(?:BUSY|LOCKED|FULL|IOERR|READONLY)/.test(code))
  const { random, ledger } = world
  const folder = mkdtempSync(join(tmpdir(), 'simulation-'))
  const path = join(folder, 'pets.db')
  writeFileSync(path, template)
  try {
    return await runInVirtualTime(world, async () => {
      const files = new SimulatedFiles(random)
      const instances = random.pick([1, 1, 2])
      ledger.note(`${instances} instances, ${files}`)
      for (let index = 0; index < instances; index += 1)
        world.addInstance(await openSqlitePersistence({ url: `sqlite:${path}`, mode: 'write' }), 0)
      world.addImporter(await openSqliteBulkAccess({ url: `sqlite:${path}`, mode: 'write' }))
      await world.run(files)
      await world.close()
      ledger.compare(files.storedPets())
      if (files.left !== undefined) ledger.violate(files.left)
    })
  } finally {
    rmSync(folder, { recursive: true })
  }
}

let knownTemplate: Buffer | undefined

/** The content of an empty file with its schema, with which each world begins. */
async function migratedFile(): Promise<Buffer> {
  if (knownTemplate !== undefined) return knownTemplate
  const folder = mkdtempSync(join(tmpdir(), 'simulation-'))
  try {
    const path = join(folder, 'empty.db')
    const persistence = await openSqlitePersistence({ url: `sqlite:${path}`, mode: 'migrate' })
    await persistence.close()
    knownTemplate = readFileSync(path)
  } finally {
    rmSync(folder, { recursive: true })
  }
  return knownTemplate
}
