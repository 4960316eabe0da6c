import { createStaticKeys, hashApiKey } from '@pet-store/access'
import { createPetUseCases } from '@pet-store/domain'
import { createMemoryPets } from '@pet-store/domain/memory'
import { createPetApp, type HttpApp, type PetAppOptions } from '../create-pet-app.ts'
import type { RequestEntry } from '../request/http-log.ts'
import { API_KEY } from './start-test-server.test-support.ts'

export interface LoggedApp {
  readonly app: HttpApp
  readonly log: readonly RequestEntry[]
  readonly errors: readonly unknown[]
}

/** An app with pets in memory, for a server of another kind, and what it has logged. */
export function createLoggedApp(options: Partial<PetAppOptions> = {}): LoggedApp {
  const log: RequestEntry[] = []
  const errors: unknown[] = []
  const app = createPetApp({
    pets: createPetUseCases(createMemoryPets()),
    tokenCheck: createStaticKeys([{ keyId: 'test-key', sha256: hashApiKey(API_KEY) }]),
    log: { request: (entry) => log.push(entry), internalError: (error) => errors.push(error) },
    readiness: async () => ({}),
    ...options,
  })
  return { app, log, errors }
}
