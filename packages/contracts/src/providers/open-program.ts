import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { compose, NO_REPORTS, persistenceAdapter, type Reports, readSettings, type Settings } from '@pet-store/api'
import { validateNewPet } from '@pet-store/domain'
import { petsOf } from '../states/fixture.ts'
import { addApiKeys, type OpenProvider, RATE_LIMIT, repeatCreations, useUpKeys } from './open-provider.ts'

const REPORTS: Reports = { ...NO_REPORTS, log: { ...NO_REPORTS.log, internalError: (error) => console.error(error) } }

/** An empty database for one interaction. */
export interface ContractDatabase {
  readonly url: string
  drop(): Promise<void>
}

/** The complete program, composed as `serve` does, with a new database for each interaction. */
export function openProgramOver(createDatabase: () => Promise<ContractDatabase>): OpenProvider {
  return async (fixture) => {
    const database = await createDatabase()
    const settings: Settings = { ...readSettings([], {}), databaseUrl: database.url, rateLimit: RATE_LIMIT }
    const bulk = await persistenceAdapter(settings).openBulkAccess({ migrate: true })
    const program = await compose(settings, REPORTS, { now: () => fixture.now })
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

/** Creates an SQLite file in a folder of its own. */
export async function createTemporarySqlite(): Promise<ContractDatabase> {
  const folder = mkdtempSync(join(tmpdir(), 'pet-store-contract-'))
  return { url: `sqlite:${join(folder, 'pet-store.db')}`, drop: async () => rmSync(folder, { recursive: true }) }
}
