import { createMemoryRateLimiter } from '@pet-store/access'
import { createMemoryPets } from '@pet-store/domain/memory'
import type { Persistence } from '@pet-store/persistence'
import { adapterContract, type PersistenceHarness } from '@pet-store/persistence-testing'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { FakeApiKeys } from './testing/fake-api-keys.test-support.ts'

// Fake timers, so that the test takes less than the calls.
beforeEach(
  () => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date', 'performance'] }),
)
afterEach(() => void vi.useRealTimers())

const wait = (durationMs = 200) => new Promise((resolve) => setTimeout(resolve, durationMs))

/** Closing takes as long. */
const OPENING_MS = 2_000

/** The same functions, each of which takes 200 ms. */
function slow<Port extends object>(port: Port): Port {
  return new Proxy(port, {
    get: (target, key) => {
      const value: unknown = Reflect.get(target, key)
      return typeof value === 'function'
        ? (...args: unknown[]) => wait().then(() => value.apply(target, args))
        : value
    },
  })
}

function createHarness(): PersistenceHarness {
  const databases = new Map<string, Persistence>()
  return {
    async open({ url }) {
      await wait(OPENING_MS)
      const limiters = new Map<string, ReturnType<typeof createMemoryRateLimiter>>()
      const opened: Persistence = databases.get(url) ?? {
        pets: slow(createMemoryPets()),
        apiKeys: slow(new FakeApiKeys()),
        createRateLimiter(limit) {
          const limiter = limiters.get(JSON.stringify(limit)) ?? createMemoryRateLimiter(limit)
          limiters.set(JSON.stringify(limit), limiter)
          return slow(limiter)
        },
        check: async () => void (await wait()),
        close: async () => void (await wait(OPENING_MS)),
      }
      databases.set(url, opened)
      return opened
    },
    emptyDatabase: async () => String(databases.size + Math.random()),
    capabilities: {
      severalProcesses: true,
      sharedLimits: true,
      bulkAccess: false,
      replicas: false,
    },
  }
}

it('no case rejects an adapter that needs 200 ms for a call, 2 s to open or close', async () => {
  let running = 0
  const broken: string[] = []
  for (const { id, run } of adapterContract(createHarness())) {
    running += 1
    void run()
      .catch((error: unknown) => broken.push(`${id}: ${String(error)}`))
      .finally(() => (running -= 1))
  }
  while (running > 0) await vi.advanceTimersByTimeAsync(20)
  expect(broken).toEqual([])
})
