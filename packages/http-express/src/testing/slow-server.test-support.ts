import type { Pet, PetRepository } from '@pet-store/domain'
import { createMemoryPets } from '@pet-store/domain/memory'
import {
  startTestServer,
  type TestServer,
  type TestServerOptions,
} from './start-test-server.test-support.ts'

interface SlowServer {
  readonly server: TestServer
  /** How many pets are being added; `release` lets a held server add them. */
  readonly adding: { running: number; release(): void }
  /** How many pets there are. */
  stored(): Promise<number>
}

/** A server on which adding a pet takes a while, as on a database. */
export async function startSlowServer({
  isHeld = false,
  ...options
}: TestServerOptions & { isHeld?: boolean } = {}): Promise<SlowServer> {
  const pets = createMemoryPets()
  const adding = { running: 0, release: () => {} }
  const released = new Promise<void>((resolve) => {
    adding.release = resolve
  })
  const add: typeof pets.add = async (pet) => {
    adding.running += 1
    await (isHeld ? released : new Promise((resolve) => setTimeout(resolve, 10)))
    return pets.add(pet)
  }
  const server = await startTestServer({ repository: { ...pets, add }, ...options })
  return { server, adding, stored: async () => (await pets.list({ limit: 1000 })).length }
}

/** About 12 MB on the wire: more than the buffers of the system hold. */
const LONG_LIST: readonly Pet[] = Array.from({ length: 20 }, (_, index) => ({
  id: BigInt(index + 1),
  name: 'x'.repeat(600_000),
  categoryId: 1n,
}))
export const longList: PetRepository = { ...createMemoryPets(), list: async () => LONG_LIST }

/**
 * Long enough for a pet to be added. In steps: after one long wait in which this process gets no
 * processor, what has arrived meanwhile would be read only afterwards.
 */
export async function aWhile(): Promise<void> {
  for (let step = 0; step < 5; step += 1) await new Promise((resolve) => setTimeout(resolve, 10))
}
