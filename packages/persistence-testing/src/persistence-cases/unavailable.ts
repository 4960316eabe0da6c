import assert from 'node:assert/strict'
import type { Persistence } from '@pet-store/persistence'
import { assertShown, casesOf, expectEqual, expectRejection } from '../contract-case.ts'
import { after, aNewApiKey, hashOf } from '../new-api-keys.ts'
import { aMomentLater, aNewPet } from '../new-pets.ts'
import {
  type HarnessCase,
  type Interruption,
  type PersistenceHarness,
  withPersistence,
} from '../persistence-harness.ts'
import {
  type Attempt,
  attempt,
  expectStoredAsSaid,
  RETRY_MS,
  UNAVAILABLE,
  untilAvailable,
} from './attempts.ts'

const GROUP = { group: 'persistence.unavailable', timeLimitMs: 60_000 }

/**
 * While the database is unavailable the adapter says so, and it works again afterwards, with
 * everything it has acknowledged.
 */
export const unavailableCases: readonly HarnessCase[] = casesOf(GROUP, {
  'reads: rejects reads with persistence_unavailable, and opening, while the database is unavailable':
    interrupted(async ({ pets, apiKeys }, interrupt, harness, url) => {
      const { readsWork } = await interrupt()
      assertShown(
        !readsWork,
        'the database of this adapter can be read while it is unavailable for writing',
      )
      await expectRejection(() => pets.find(1n), 'find must reject', UNAVAILABLE)
      await expectRejection(() => pets.list({ limit: 1 }), 'list must reject', UNAVAILABLE)
      if (apiKeys)
        await expectRejection(
          () => apiKeys.findByHash(hashOf('k')),
          'findByHash must reject',
          UNAVAILABLE,
        )
      await expectRejection(
        async () => (await harness.open({ url })).close(),
        'opening must reject',
      )
    }),
  'writes: rejects writes with a true outcome, and check, while the database is unavailable, and works again afterwards':
    interrupted(async (persistence, interrupt) => {
      const { pets, apiKeys } = persistence
      await apiKeys?.add(aNewApiKey('old'))
      const { end } = await interrupt()
      const attempts = [await attempt(pets, 'plain', false), await attempt(pets, 'keyed', true)]
      for (const { name, pet } of attempts)
        expectEqual(pet, undefined, `the add of the pet ${name} must reject`)
      if (apiKeys !== undefined) {
        await expectRejection(() => apiKeys.add(aNewApiKey('new')), 'add must reject', UNAVAILABLE)
        const replacing = () => apiKeys.replace('key_old', aNewApiKey('successor'), after(10))
        await expectRejection(replacing, 'replace must reject', UNAVAILABLE)
        await expectRejection(
          () => apiKeys.revoke('key_old', after(5)),
          'revoke must reject',
          UNAVAILABLE,
        )
        const marking = () => apiKeys.markUsed([{ id: 'key_old', at: after(3) }])
        await expectRejection(marking, 'markUsed must reject', UNAVAILABLE)
      }
      await expectRejection(() => persistence.check(), 'check must reject')
      await end()
      await untilAvailable(() => persistence.check())
      await expectStoredAsSaid(pets, attempts)
      const added = await untilAvailable(() => pets.add(aNewPet()))
      expectEqual(
        await pets.find(added.id),
        added,
        'the adapter must work again without being reopened',
      )
      if (apiKeys === undefined) return
      await untilAvailable(() => apiKeys.revoke('key_old', after(6)))
      assert.ok(
        (await apiKeys.find('key_old'))?.revokedAt,
        'the key must be revoked after the interruption',
      )
    }),
  'acknowledged: has every acknowledged pet after an interruption, and none that it said is not stored':
    interrupted(async ({ pets }, interrupt) => {
      let hasEnded = false
      const writers = ['a', 'b', 'c', 'd'].map(async (writer, index) => {
        const attempts: Attempt[] = []
        while (!hasEnded && attempts.length < 200) {
          attempts.push(await attempt(pets, `${writer}-${attempts.length}`, index % 2 === 1))
          // What is rejected at once is not tried a thousand times.
          if (attempts.at(-1)?.pet === undefined)
            await new Promise((resolve) => setTimeout(resolve, RETRY_MS))
        }
        return attempts
      })
      const before = await attempt(pets, 'before', true)
      expectEqual(before.outcome, undefined, 'the outcome of an add before the interruption')
      const { end } = await interrupt()
      await aMomentLater()
      await end()
      hasEnded = true
      await expectStoredAsSaid(pets, [before, ...(await Promise.all(writers)).flat()])
    }),
  'frozen: rejects every call in time while the database does not respond, and loses and adds nothing':
    interrupted(async (persistence, freeze, harness, url) => {
      const { pets } = persistence
      const before = await attempt(pets, 'before', true)
      const { end, readsWork = false } = await freeze()
      const reading = Promise.allSettled(
        [
          async () => pets.find(1n),
          async () => pets.list({ limit: 1 }),
          ...(persistence.apiKeys
            ? [async () => persistence.apiKeys?.findByHash(hashOf('k'))]
            : []),
          async () => persistence.check(),
          async () => (await harness.open({ url })).close(),
        ].map((call) => expectRejection(call, 'each call must reject')),
      )
      const attempts = await Promise.all(
        [1, 2, 3, 4].map((count) => attempt(pets, `frozen-${count}`, count > 2)),
      )
      for (const { name, pet } of attempts)
        expectEqual(pet, undefined, `the add of the pet ${name} must reject`)
      const failed = (await reading).find((result) => result.status === 'rejected')
      if (failed !== undefined && !readsWork) throw failed.reason
      await end()
      await expectStoredAsSaid(pets, [before, ...attempts])
    }, 'freeze'),
})

/** Opens a new database; what the case interrupts ends before it is closed. */
function interrupted(
  work: (
    persistence: Persistence,
    interrupt: () => Promise<Interruption>,
    harness: PersistenceHarness,
    url: string,
  ) => Promise<void>,
  how: 'interrupt' | 'freeze' = 'interrupt',
): HarnessCase['run'] {
  return async (harness) => {
    assertShown(harness[how], `the harness cannot ${how} the database`)
    const url = await harness.emptyDatabase()
    await withPersistence(harness, url, async (persistence) => {
      await persistence.check()
      let ending: Promise<void> | undefined
      let interruption: Interruption | undefined
      const end = () => (ending ??= interruption?.end())
      const interrupt = async () => {
        interruption = await harness[how]?.(url)
        return { ...interruption, end: async () => end() }
      }
      try {
        await work(persistence, interrupt, harness, url)
      } finally {
        await end()
      }
    })
  }
}
