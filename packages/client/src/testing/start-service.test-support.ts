import { once } from 'node:events'
import type { RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createApiKeyText, createStaticKeys, hashApiKey } from '@pet-store/access'
import { createPetUseCases, type PetRepository } from '@pet-store/domain'
import { createMemoryPets } from '@pet-store/domain/memory'
import { createPetApp, createPetServer, type HttpLog } from '@pet-store/http-express'
import { onTestFinished } from 'vitest'

/** A valid key, for every test of this run. */
export const API_KEY: string = createApiKeyText()

export interface Service {
  readonly baseUrl: string
  readonly pets: PetRepository
  /** Closes every connection and stops listening. */
  stop(): Promise<void>
}

export interface ServiceOptions {
  /** Default: none. */
  readonly pets?: PetRepository
  /** Wraps the app. */
  readonly around?: (app: RequestListener) => RequestListener
}

/** Starts the real HTTP adapter over the memory repository; stops it when the test ends. */
export async function startService(options: ServiceOptions = {}): Promise<Service> {
  const { pets = createMemoryPets(), around = (app) => app } = options
  const log: HttpLog = { request: () => {}, internalError: (error) => console.error(error) }
  const app = createPetApp({
    pets: createPetUseCases(pets),
    tokenCheck: createStaticKeys([{ keyId: 'test-key', sha256: hashApiKey(API_KEY) }]),
    nowMs: () => Date.parse('2027-01-01T00:00:00Z'),
    log,
    readiness: async () => ({}),
  })
  const server = createPetServer(around(app), log)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')

  const stop = async (): Promise<void> => {
    server.closeAllConnections()
    if (server.listening) await new Promise((resolve) => server.close(resolve))
  }
  onTestFinished(stop)
  return { baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`, pets, stop }
}
