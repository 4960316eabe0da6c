import { createKeyCheck, createMemoryRateLimiter } from '@pet-store/access'
import { createMemoryApiKeys } from '@pet-store/access/memory'
import { createPetUseCases } from '@pet-store/domain'
import { createMemoryPets } from '@pet-store/domain/memory'
import { createPetApp, createPetServer, type HttpLog } from '@pet-store/http-express'
import { addApiKeys, type OpenProvider, RATE_LIMIT, repeatCreations, useUpKeys } from './open-provider.ts'
import { petsOf } from './scene.ts'

const LOG: HttpLog = { request: () => {}, internalError: (error) => console.error(error) }

/** The HTTP adapter alone, over the repositories of the two modules that keep everything in memory. */
export const openAdapter: OpenProvider = async (scene) => {
  const pets = createMemoryPets(petsOf(scene))
  const keys = createMemoryApiKeys()
  await addApiKeys(scene, keys)
  await repeatCreations(scene, pets)
  const app = createPetApp({
    pets: createPetUseCases(pets),
    tokenCheck: createKeyCheck({ keys, lifetimeMs: 0 }).check,
    rateLimiting: { limit: RATE_LIMIT, limiter: createMemoryRateLimiter(RATE_LIMIT) },
    now: () => scene.now,
    log: LOG,
    readiness: async () => ({}),
  })
  const server = createPetServer(app, LOG)
  await useUpKeys(scene, server)
  return { server, close: async () => {} }
}
