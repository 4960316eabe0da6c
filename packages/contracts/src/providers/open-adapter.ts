import { createKeyCheck, createMemoryRateLimiter } from '@pet-store/access'
import { createMemoryApiKeys } from '@pet-store/access/memory'
import { createPetUseCases } from '@pet-store/domain'
import { createMemoryPets } from '@pet-store/domain/memory'
import { createPetApp, createPetServer, type HttpLog } from '@pet-store/http-express'
import { petsOf } from '../states/fixture.ts'
import {
  addApiKeys,
  type OpenProvider,
  RATE_LIMIT,
  repeatCreations,
  useUpKeys,
} from './open-provider.ts'

const LOG: HttpLog = { request: () => {}, internalError: (error) => console.error(error) }

/** The HTTP adapter alone, over the memory repositories. */
export const openAdapter: OpenProvider = async (fixture) => {
  const pets = createMemoryPets(petsOf(fixture))
  const keys = createMemoryApiKeys()
  await addApiKeys(fixture, keys)
  await repeatCreations(fixture, pets)
  const app = createPetApp({
    pets: createPetUseCases(pets),
    tokenCheck: createKeyCheck({ keys, lifetimeMs: 0 }).check,
    rateLimiting: { limit: RATE_LIMIT, limiter: createMemoryRateLimiter(RATE_LIMIT) },
    nowMs: () => fixture.now.getTime(),
    log: LOG,
    readiness: async () => ({}),
  })
  const server = createPetServer(app, LOG)
  await useUpKeys(fixture, server)
  return { server, close: async () => {} }
}
