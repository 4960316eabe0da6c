import type { Persistence } from '@pet-store/persistence'
import { casesOf, expectEqual, expectRejection } from '../contract-case.ts'
import { after } from '../new-api-keys.ts'
import { addPets, aNewPet, ascending, idsOf, listAll } from '../new-pets.ts'
import { type HarnessCase, type NotShown, type PersistenceHarness, withPersistence } from '../persistence-harness.ts'

/** Two openings of one place, as two processes have them, see the same and decide together. */
export const sharingCases: readonly HarnessCase[] = casesOf('persistence.shared', [
  {
    id: 'pets',
    name: 'shares pets between two openings, under different ids',
    run: twice(async (one, other) => {
      const added = (await Promise.all([one, other].map(({ pets }) => addPets(pets, 15)))).flat()
      expectEqual(new Set(idsOf(added)).size, 30, 'the number of different ids of 30 pets')
      for (const { pets } of [one, other]) {
        expectEqual(idsOf(await listAll(pets)), ascending(idsOf(added)), 'each opening must list all pets')
      }
      return undefined
    }),
  },
  {
    id: 'idempotency-keys',
    name: 'shares idempotency keys between two openings',
    run: twice(async (one, other) => {
      const key = { owner: 'shop', key: 'key', fingerprint: 'Rex', at: after(0) }
      const calls = Array.from({ length: 20 }, (_, index) => (index % 2 === 0 ? one : other))
      const created = await Promise.all(calls.map(({ pets }) => pets.addWithKey(aNewPet(), key)))
      expectEqual(
        new Set(created.map(({ pet }) => pet.id)).size,
        1,
        'the number of pets that 20 calls with one key return',
      )
      expectEqual(created.filter(({ isReplay }) => !isReplay).length, 1, 'the number of calls that stored a pet')
      expectEqual((await listAll(one.pets)).length, 1, 'the number of pets that are stored')
      return undefined
    }),
  },
  {
    id: 'limits',
    name: 'shares rate limits between two openings',
    run: twice(async (one, other) => {
      if (one.createRateLimiter === undefined) return 'the adapter counts no requests'
      const limit = { requests: 10, windowMs: 3_600_000 }
      const limiters = [one, other].map(({ createRateLimiter }) => createRateLimiter?.(limit))
      const taken = await Promise.all(
        Array.from({ length: 30 }, async (_, index) => limiters[index % 2]?.take('key_kiosk')),
      )
      const allowed = taken.filter((allowance) => allowance?.isAllowed).length
      expectEqual(allowed, 10, 'the number of requests that two openings allow together')
      return undefined
    }),
  },
  {
    id: 'single',
    name: 'rejects a second opening, and works on in the first one',
    async run(harness) {
      if (harness.capabilities === undefined) return 'the adapter declares no capabilities'
      if (harness.capabilities.severalProcesses) return 'several processes may open one place'
      const url = await harness.emptyPlace()
      return withPersistence(harness, url, async ({ pets }) => {
        const before = await pets.add(aNewPet())
        await expectRejection(
          async () => (await harness.open({ url, migrate: true })).close(),
          'opening must reject while the place is open, as the adapter declares severalProcesses: false',
        )
        const added = await pets.add(aNewPet())
        expectEqual(await listAll(pets), [before, added], 'the pets of the first opening')
        return undefined
      })
    },
  },
])

function twice(
  work: (one: Persistence, other: Persistence) => Promise<NotShown | undefined>,
): (harness: PersistenceHarness) => Promise<NotShown | undefined> {
  return async (harness) => {
    if (!harness.capabilities?.severalProcesses) return 'the adapter does not declare severalProcesses'
    const url = await harness.emptyPlace()
    return withPersistence(harness, url, (one) => withPersistence(harness, url, (other) => work(one, other)))
  }
}
