import assert from 'node:assert/strict'
import type { Persistence } from '@pet-store/persistence'
import { casesOf, expectEqual, expectRejection } from '../contract-case.ts'
import { after, hashOf } from '../new-api-keys.ts'
import { aNewPet, listAll } from '../new-pets.ts'
import {
  type HarnessCase,
  type Interruption,
  type NotShown,
  type PersistenceHarness,
  withPersistence,
} from '../persistence-harness.ts'

const UNAVAILABLE = { name: 'PetError', code: 'persistence_unavailable' }
const RETRY_MS = 100

/** While the database is unavailable the adapter says so, and it works again afterwards. */
export const unavailableCases: readonly HarnessCase[] = casesOf('persistence.unavailable', [
  {
    id: 'reads',
    name: 'rejects reads with persistence_unavailable while the database is unavailable',
    timeLimitMs: 60_000,
    run: interrupted(async ({ pets, apiKeys }, { readsWork }) => {
      if (readsWork) return 'the database of this adapter can be read while it is unavailable for writing'
      await expectRejection(() => pets.find(1n), 'find must reject', UNAVAILABLE)
      await expectRejection(() => pets.list({ limit: 1 }), 'list must reject', UNAVAILABLE)
      if (apiKeys) await expectRejection(() => apiKeys.findByHash(hashOf('k')), 'findByHash must reject', UNAVAILABLE)
      return undefined
    }),
  },
  {
    id: 'writes',
    name: 'rejects writes with persistence_unavailable and a true outcome while the database is unavailable',
    timeLimitMs: 60_000,
    run: interrupted(async ({ pets }, interruption) => {
      const key = { owner: 'shop', key: 'key', fingerprint: 'Rex', at: after(0) }
      const tried = {
        add: () => pets.add(aNewPet({ name: 'add' })),
        addWithKey: () => pets.addWithKey(aNewPet({ name: 'addWithKey' }), key),
      }
      const notStored = []
      for (const [name, call] of Object.entries(tried)) {
        await expectRejection(call, `${name} must reject`, UNAVAILABLE)
        const outcome = await call().catch((error: { outcome?: unknown }) => error.outcome)
        assert.ok(
          outcome === 'not_stored' || outcome === 'unknown',
          `the outcome of ${name} must be set, got ${outcome}`,
        )
        if (outcome === 'not_stored') notStored.push(name)
      }
      await interruption.end()
      const stored = (await untilAvailable(() => listAll(pets))).map(({ name }) => name)
      for (const name of notStored) assert.ok(!stored.includes(name), `${name} said that the pet is not stored`)
      return undefined
    }),
  },
  {
    id: 'opening',
    name: 'rejects opening while the database is unavailable',
    timeLimitMs: 60_000,
    run: interrupted(async (_, { readsWork }, harness, url) => {
      if (readsWork) return 'the database of this adapter can be read while it is unavailable for writing'
      await expectRejection(async () => (await harness.open({ url })).close(), 'opening must reject')
      return undefined
    }),
  },
  {
    id: 'check',
    name: 'rejects check while the database is unavailable, and works again afterwards',
    timeLimitMs: 60_000,
    run: interrupted(async (persistence, interruption) => {
      await expectRejection(() => persistence.check(), 'check must reject')
      await interruption.end()
      await untilAvailable(() => persistence.check())
      const added = await untilAvailable(() => persistence.pets.add(aNewPet()))
      expectEqual(await persistence.pets.find(added.id), added, 'the adapter must work again without being reopened')
      return undefined
    }),
  },
])

/** Opens a new place, interrupts its database, and ends that before it closes the place. */
function interrupted(
  work: (
    persistence: Persistence,
    interruption: Interruption,
    harness: PersistenceHarness,
    url: string,
  ) => Promise<NotShown | undefined>,
): (harness: PersistenceHarness) => Promise<NotShown | undefined> {
  return async (harness) => {
    const { interrupt } = harness
    if (interrupt === undefined) return 'the harness cannot make the database unavailable'
    const url = await harness.emptyPlace()
    return withPersistence(harness, url, async (persistence) => {
      await persistence.check()
      const interruption = await interrupt(url)
      let hasEnded = false
      const end = async (): Promise<void> => {
        if (!hasEnded) await interruption.end()
        hasEnded = true
      }
      try {
        return await work(persistence, { ...interruption, end }, harness, url)
      } finally {
        await end()
      }
    })
  }
}

/** Repeats a call while the database is unavailable; the time limit of the case ends it. */
async function untilAvailable<Result>(call: () => Promise<Result>): Promise<Result> {
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await call()
    } catch (error) {
      if (attempt * RETRY_MS >= 20_000) throw error
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS))
    }
  }
}
