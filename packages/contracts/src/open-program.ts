import { compose, openBulk, readSettings, type Settings } from '@pet-store/api'
import { validateNewPet } from '@pet-store/domain'
import type { HttpLog } from '@pet-store/http-express'
import { addApiKeys, type OpenProvider, RATE_LIMIT, repeatCreations, useUpKeys } from './open-provider.ts'
import { petsOf } from './scene.ts'

const LOG: HttpLog = { request: () => {}, internalError: (error) => console.error(error) }

/** An empty database for one interaction. */
export interface ContractDatabase {
  readonly url: string
  drop(): Promise<void>
}

/** The whole program, composed as `serve` does it, each time over a new database. */
export function openProgramOver(createDatabase: () => Promise<ContractDatabase>): OpenProvider {
  return async (scene) => {
    const database = await createDatabase()
    const settings: Settings = { ...readSettings([], {}), databaseUrl: database.url, rateLimit: RATE_LIMIT }
    const rows = await openBulk(database.url, true, settings)
    const program = await compose({ settings, staticKeys: [], log: LOG, now: () => scene.now })
    const { pets, apiKeys } = program.persistence
    for (const pet of petsOf(scene)) {
      await rows.movePetIdsPast(pet.id - 1n)
      await pets.add(validateNewPet(pet))
    }
    await rows.close()
    await addApiKeys(scene, apiKeys)
    await repeatCreations(scene, pets)
    await useUpKeys(scene, program.server)
    return {
      server: program.server,
      async close() {
        await program.close()
        await database.drop()
      },
    }
  }
}
