import { copyFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  compose,
  NO_REPORTS,
  persistenceAdapter,
  type Reports,
  readSettings,
  type Settings,
} from '@pet-store/api'
import { validateNewPet } from '@pet-store/domain'
import { petsOf } from '../states/fixture.ts'
import {
  addApiKeys,
  type OpenProvider,
  RATE_LIMIT,
  repeatCreations,
  useUpKeys,
} from './open-provider.ts'

const REPORTS: Reports = {
  ...NO_REPORTS,
  log: { ...NO_REPORTS.log, internalError: (error) => console.error(error) },
}

/** An empty database for one interaction. */
export interface ContractDatabase {
  readonly url: string
  drop(): Promise<void>
}

/** The complete program, composed as `serve` does, with a new database for each interaction. */
export function openProgramOver(createDatabase: () => Promise<ContractDatabase>): OpenProvider {
  return async (fixture) => {
    const database = await createDatabase()
    const settings: Settings = {
      ...readSettings({}),
      databaseUrl: database.url,
      rateLimit: RATE_LIMIT,
    }
    const bulk = await (await persistenceAdapter(settings)).openBulkAccess?.({ mode: 'migrate' })
    const program = await compose(settings, REPORTS, { nowMs: () => fixture.now.getTime() })
    const { pets, apiKeys } = program.persistence
    for (const pet of petsOf(fixture)) {
      await bulk?.movePetIdsPast(pet.id - 1n)
      await pets.add(validateNewPet(pet))
    }
    await bulk?.close()
    await addApiKeys(fixture, apiKeys)
    await repeatCreations(fixture, pets)
    await useUpKeys(fixture, program.server)
    return {
      server: program.server,
      async close() {
        await program.close()
        await database.drop()
      },
    }
  }
}

/**
 * The complete program over SQLite. A migration takes most of the time of an interaction, so one
 * file is migrated and copied.
 */
export const openProgramOverSqlite: OpenProvider = async (fixture) => {
  migratedSqlite ??= createMigratedSqlite()
  const original = await migratedSqlite
  return openProgramOver(async () => {
    const folder = mkdtempSync(join(tmpdir(), 'pet-store-contract-'))
    const file = join(folder, 'pet-store.db')
    copyFileSync(original, file)
    return { url: `sqlite:${file}`, drop: async () => rmSync(folder, { recursive: true }) }
  })(fixture)
}

let migratedSqlite: Promise<string> | undefined

async function createMigratedSqlite(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'pet-store-contract-'))
  process.once('exit', () => rmSync(folder, { recursive: true }))
  const file = join(folder, 'pet-store.db')
  await migrate(`sqlite:${file}`)
  return file
}

/** Makes a database ready, so that interactions can have copies of it. */
export async function migrate(databaseUrl: string): Promise<void> {
  const { openBulkAccess } = await persistenceAdapter({ ...readSettings({}), databaseUrl })
  await (await openBulkAccess?.({ mode: 'migrate' }))?.close()
}
