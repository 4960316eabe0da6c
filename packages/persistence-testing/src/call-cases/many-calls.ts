import assert from 'node:assert/strict'
import type { Persistence } from '@pet-store/persistence'
import { everyCall, prepareCalls } from '../adapter/every-call.ts'
import { expectEachWorksAgain, expectWorks } from '../adapter/expect-works.ts'
import { ADDS_A_KEY, UNAVAILABLE } from '../adapter/outage.ts'
import { expectAvailable } from '../adapter/until-available.ts'
import {
  apiKeysOf,
  rateLimiterOf,
  withBulkAccess,
  withPersistence,
} from '../adapter/with-persistence.ts'
import { casesOf } from '../case/contract-case.ts'
import { causedBy, expectEqual } from '../case/expectations.ts'
import { inGroups } from '../case/in-groups.ts'
import { aMomentLater } from '../case/wait.ts'
import type { HarnessCase } from '../harness/persistence-harness.ts'
import { LONG_MS } from '../rate-limiter-cases/long-window.ts'
import { aNewApiKey } from '../test-data/new-api-keys.ts'
import { anIdempotencyKey } from '../test-data/new-idempotency-keys.ts'
import { aNewPet } from '../test-data/new-pets.ts'
import { LONGEST_NAME } from '../test-data/odd-texts.ts'
import { petsByName } from '../test-data/stored-pets.ts'
import { after } from '../test-data/times.ts'

const GROUP = { group: 'persistence.calls', timeLimitMs: 120_000 }

/** More than an adapter puts into one statement that collects the calls of a moment. */
const AT_ONCE = 300
/** As many as an adapter must take at a time. */
const SAME_AT_ONCE = 50
/** Together more than an adapter allows at a time that counts what is under way. */
const CANCELLED = 5_100
const REJECTED = 5_100
const REJECTED_KEYS = 300
/** With two values each more than a statement takes that is limited to 8,000 of them. */
const USED = 4_100
const ADDING_MS = 6_000
/** An orchestrator asks every few seconds, for months. */
const CHECKS = 1_100
const GROUP_SIZE = 50

/** Hundreds of calls at a time, and thousands one after the other. */
export const manyCallsCases: readonly HarnessCase[] = casesOf(GROUP, {
  'at-once: gives each of hundreds of calls at a time its own result, or is unavailable': async (
    harness,
  ) => {
    const url = await harness.emptyDatabase({ mayHaveSchema: true })
    await withPersistence(harness, url, async (opened) => {
      for (const [name, call] of Object.entries(await callsOf(opened))) {
        const results = await Promise.allSettled(
          Array.from({ length: AT_ONCE }, async (_, index) => call(index)),
        )
        for (const [index, result] of results.entries()) {
          if (result.status === 'fulfilled') continue
          if (result.reason instanceof assert.AssertionError) throw result.reason
          const { code } = Object(result.reason)
          causedBy(result.reason, () =>
            expectEqual(code, 'persistence_unavailable', `why the call ${index} of ${name} failed`),
          )
        }
      }
      await expectLimitKept(opened)
      await expectAddsStored(opened)
      await expectWorks(opened, 'afterwards')
    })
  },
  'same: rejects none of many calls at the same time that read or change the same': async (
    harness,
  ) => {
    const url = await harness.emptyDatabase({ mayHaveSchema: true })
    await withPersistence(harness, url, async (opened) => {
      await prepareCalls(opened, 'same')
      for (const { name, run } of everyCall(opened, 'same')) {
        const calls = Array.from({ length: SAME_AT_ONCE }, run)
        for (const result of await Promise.allSettled(calls)) {
          if (result.status === 'fulfilled') continue
          // All but one of them find its id taken.
          const isTaken = name === ADDS_A_KEY && Object(result.reason).code !== UNAVAILABLE.code
          causedBy(result.reason, () =>
            expectEqual(
              isTaken,
              true,
              `whether one of ${SAME_AT_ONCE} calls of ${name} may reject`,
            ),
          )
        }
      }
      await expectWorks(opened, 'afterwards')
    })
  },
  'uses: records the uses of thousands of API keys in one call': async (harness) => {
    const url = await harness.emptyDatabase({ mayHaveSchema: true })
    const keys = Array.from({ length: USED }, (_, index) => aNewApiKey(`${index}`))
    if (harness.openBulkAccess !== undefined)
      await withBulkAccess(harness, url, (bulk) => bulk.writeApiKeys(keys))
    await withPersistence(harness, url, async (opened) => {
      const apiKeys = apiKeysOf(opened)
      // Without bulk access, as many keys as the adapter stores in some seconds.
      const start = performance.now()
      for (let added = 0; harness.openBulkAccess === undefined && added < USED; ) {
        const some = keys.slice(added, added + GROUP_SIZE)
        await Promise.all(some.map((key) => apiKeys.add(key)))
        added += some.length
        if (performance.now() - start > ADDING_MS) break
      }
      await apiKeys.markUsed(keys.map(({ id }, index) => ({ id, at: after(index) })))
      const used = new Map((await apiKeys.list()).map(({ id, lastUsedAt }) => [id, lastUsedAt]))
      const expected = keys.flatMap(({ id }, index) => (used.has(id) ? [after(index)] : []))
      const times = keys.flatMap(({ id }) => (used.has(id) ? [used.get(id)] : []))
      expectEqual(times, expected, 'the last uses of keys that one call has recorded')
    })
  },
  'checks: rejects none of hundreds of checks': async (harness) => {
    const url = await harness.emptyDatabase({ mayHaveSchema: true })
    await withPersistence(harness, url, async (opened) => {
      await inGroups(CHECKS, () => opened.check(), GROUP_SIZE)
      const isMigrated = async () => (await opened.isMigrated?.()) ?? true
      const all = await inGroups(CHECKS, isMigrated, GROUP_SIZE)
      expectEqual(new Set(all), new Set([true]), `the results of ${CHECKS} calls of isMigrated`)
    })
  },
  'idle: works when it was not called for a moment': async (harness) => {
    const url = await harness.emptyDatabase({ mayHaveSchema: true })
    await withPersistence(harness, url, async (opened) => {
      await expectWorks(opened, 'before')
      // What is idle for longer is closed in the same way.
      await aMomentLater()
      await expectWorks(opened, 'afterwards')
    })
  },
  'rejected: works after thousands of calls that it has rejected': async (harness) => {
    const url = await harness.emptyDatabase({ mayHaveSchema: true })
    await withPersistence(harness, url, async (opened) => {
      const { pets } = opened
      const cancelled = { aborted: true }
      const key = anIdempotencyKey()
      await pets.addWithKey(aNewPet(), key)
      const other = { ...key, fingerprint: 'other' }
      // Together more than the megabytes that an adapter allows to wait.
      const long = aNewPet({ name: LONGEST_NAME })
      await rejectedOften(CANCELLED, (index) =>
        index % 2 === 0 ? pets.add(long, cancelled) : pets.addWithKey(long, key, cancelled),
      )
      await rejectedOften(REJECTED, () => pets.addWithKey(aNewPet(), other))
      if (opened.apiKeys !== undefined) {
        const { apiKeys } = opened
        const taken = await expectAvailable('add of an API key', async (attempt) => {
          const key = aNewApiKey(`taken ${attempt}`)
          await apiKeys.add(key)
          return key
        })
        await rejectedOften(REJECTED_KEYS, () => apiKeys.add(taken))
        await rejectedOften(REJECTED_KEYS, (index) =>
          apiKeys.replace('key_unknown', aNewApiKey(`${index}`), after(1)),
        )
      }
      await expectEachWorksAgain(opened)
    })
  },
})

type Calls = Readonly<Record<string, (index: number) => Promise<void>>>

/** Calls that each expect the result that is their own. */
async function callsOf(opened: Persistence): Promise<Calls> {
  const { pets } = opened
  const keyOf = (index: number) => anIdempotencyKey({ key: `${index}`, fingerprint: `${index}` })
  const stored = await inGroups(20, async (index) => {
    const name = `keyed ${index}`
    return (await pets.addWithKey(aNewPet({ name, status: 'sold' }), keyOf(index))).pet
  })
  const petAt = (index: number) => stored[index % stored.length]
  const calls: Record<string, (index: number) => Promise<void>> = {
    async find(index) {
      const id = petAt(index)?.id ?? 0n
      expectEqual(await pets.find(id), petAt(index), `the pet ${id} of many calls at a time`)
    },
    async list(index) {
      const position = petAt(index)?.id ?? 0n
      const expected = stored.filter(({ id }) => id > position)
      const found = await pets.list({ after: position, limit: 99 })
      const sorted = expected.toSorted((one, other) => (one.id < other.id ? -1 : 1))
      expectEqual(found, sorted, `the pets after ${position} of many calls at a time`)
    },
    async addWithKey(index) {
      const { pet, isReplay } = await pets.addWithKey(aNewPet(), keyOf(index % stored.length))
      expectEqual([pet, isReplay], [petAt(index), true], 'a repeat of many calls at a time')
    },
  }
  if (opened.apiKeys !== undefined) {
    const apiKeys = apiKeysOf(opened)
    const keys = Array.from({ length: 20 }, (_, index) => aNewApiKey(`${index}`))
    for (const key of keys) await apiKeys.add(key)
    calls['findByHash'] = async (index) => {
      const { sha256 = '', ...key } = keys[index % keys.length] ?? aNewApiKey('')
      expectEqual(await apiKeys.findByHash(sha256), key, `the key ${key.id} of many calls`)
    }
  }
  if (opened.createRateLimiter !== undefined) {
    const limiter = rateLimiterOf(opened)({ requests: 1, windowMs: LONG_MS })
    calls['take'] = async (index) => {
      const { isAllowed } = await limiter.take(`key_${index}`)
      expectEqual(isAllowed, true, 'isAllowed of the first requests of many keys at a time')
    }
  }
  return calls
}

/** Of hundreds of requests of one key at a time no more are allowed than the limit says. */
async function expectLimitKept(opened: Persistence): Promise<void> {
  if (opened.createRateLimiter === undefined) return
  const limiter = rateLimiterOf(opened)({ requests: AT_ONCE / 2, windowMs: LONG_MS })
  const results = await Promise.allSettled(
    Array.from({ length: AT_ONCE }, async () => limiter.take('key_same')),
  )
  const taken = results.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
  const allowed = taken.filter(({ isAllowed }) => isAllowed).length
  // One that is rejected may have been counted.
  const rejected = AT_ONCE - taken.length
  expectEqual(
    allowed <= AT_ONCE / 2 && allowed >= Math.min(AT_ONCE / 2, taken.length) - rejected,
    true,
    `whether a limit of ${AT_ONCE / 2} allows as many of ${AT_ONCE} requests of one key, ` +
      `of which it has allowed ${allowed}`,
  )
}

/** A pet whose add resolves is stored under its id, and one that is not stored does not appear. */
async function expectAddsStored({ pets }: Persistence): Promise<void> {
  const names = Array.from({ length: AT_ONCE }, (_, index) => `added ${index}`)
  const results = await Promise.allSettled(names.map(async (name) => pets.add(aNewPet({ name }))))
  const stored = await petsByName(pets)
  for (const [index, result] of results.entries()) {
    const name = names[index] ?? ''
    if (result.status === 'fulfilled')
      expectEqual(stored.get(name), result.value, `the pet ${name} of many adds at a time`)
    else if (Object(result.reason).outcome !== 'unknown')
      expectEqual(stored.get(name), undefined, `the pet ${name}, whose add said not_stored`)
  }
}

async function rejectedOften(count: number, call: (index: number) => Promise<unknown>) {
  const rejected = async (index: number) => {
    const reason: unknown = await call(index).then(
      () => assert.fail('a call that must reject has resolved'),
      (error: unknown) => error,
    )
    if (reason instanceof assert.AssertionError) throw reason
  }
  await inGroups(count, rejected, GROUP_SIZE)
}
