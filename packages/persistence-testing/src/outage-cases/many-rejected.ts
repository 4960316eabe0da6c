import type { Persistence } from '@pet-store/persistence'
import { everyCall } from '../adapter/every-call.ts'
import { expectEachWorksAgain, expectWorks } from '../adapter/expect-works.ts'
import { interrupted } from '../adapter/outage.ts'
import { casesOf } from '../case/contract-case.ts'
import { aTurnLater } from '../case/wait.ts'
import type { HarnessCase } from '../harness/persistence-harness.ts'
import { hashOf } from '../test-data/new-api-keys.ts'
import { anIdempotencyKey } from '../test-data/new-idempotency-keys.ts'
import { aNewPet } from '../test-data/new-pets.ts'

const GROUP = { group: 'persistence.unavailable', timeLimitMs: 180_000 }

/** More calls than may wait at a time, and more megabytes. */
const MANY = 10_050
const LONG = 2_200
const LONG_TEXT = 'k'.repeat(4_000)
/** Of an id that is far too long, a few take as much: nothing of it is stored. */
const LONGEST = 250
const LONGEST_TEXT = 'k'.repeat(40_000)
const AT_ONCE = 50

const UNKNOWN_HASH = hashOf('unknown')

/** For each kind of call, if an adapter holds its calls back until their deadline. */
const MOST_MS = 20_000
/** Fifty calls that were not held back take less, even on a machine that is busy. */
const HELD_BACK_MS = 500
/** For all kinds together: on a busy machine calls that are rejected at once take time too. */
const MOST_IN_ALL_MS = 120_000

/** Of those that an adapter holds back until their deadline: all of them at once. */
const FROZEN = [2 * LONG, LONG, LONGEST, LONGEST, LONGEST]

/** What was rejected during an outage counts for no limit of what waits. */
export const manyRejectedCases: readonly HarnessCase[] = casesOf(GROUP, {
  'many-rejected: works again after thousands of calls, of megabytes, were rejected': interrupted(
    async ({ persistence, interrupt }) => {
      await expectWorks(persistence, 'before')
      const { end } = await interrupt()
      const latest = performance.now() + MOST_IN_ALL_MS
      for (const [count, call] of rejectedCalls(persistence)) await callMany(count, call, latest)
      for (const { run } of everyCall(persistence, 'rejected')) await callMany(AT_ONCE, run, latest)
      await end()
      await expectEachWorksAgain(persistence)
    },
  ),
  'many-late: works again after thousands of calls, of megabytes, have missed their deadline':
    interrupted(async ({ persistence, interrupt: freeze }) => {
      await expectWorks(persistence, 'before')
      const { end } = await freeze()
      const calls = rejectedCalls(persistence).flatMap(([, call], kind) =>
        Array.from({ length: FROZEN[kind] ?? 0 }, async (_, index) => call(index)),
      )
      await Promise.allSettled(calls)
      await end()
      await expectEachWorksAgain(persistence)
    }, 'freeze'),
})

type Calls = readonly [count: number, call: (index: number) => unknown]

function rejectedCalls(opened: Persistence): readonly Calls[] {
  const { pets } = opened
  const pet = aNewPet()
  const longPet = aNewPet({ name: '🐕'.repeat(1_000) })
  const limiter = opened.createRateLimiter?.({ requests: 100, windowMs: 3_600_000 })
  const keyOf = (index: number) => anIdempotencyKey({ key: `${index}`, fingerprint: LONG_TEXT })
  const take = limiter && ((id: string) => limiter.take(id))
  return [
    [2 * LONG, () => pets.add(longPet)],
    [LONG, (index) => pets.addWithKey(longPet, keyOf(index))],
    [LONGEST, (index) => take?.(`${index} ${LONGEST_TEXT}`)],
    // What a limit of bytes has left after them is less than one of them.
    [LONGEST, (index) => take?.(`key_${index}`)],
    [LONGEST, (index) => pets.addWithKey(pet, { ...keyOf(index), fingerprint: 'Rex' })],
    [MANY, (index) => (index % 2 === 0 ? pets.find(1n) : pets.add(pet))],
    // A key is looked up for each request of the service.
    [MANY, () => opened.apiKeys?.findByHash(UNKNOWN_HASH)],
  ]
}

async function callMany(count: number, call: Calls[1], latest: number): Promise<void> {
  const start = performance.now()
  for (let called = 0; called < count && mayCallMore(start, called, latest); called += AT_ONCE) {
    const calls = Array.from({ length: AT_ONCE }, async (_, index) => call(called + index))
    await Promise.allSettled(calls)
    await aTurnLater()
  }
}

function mayCallMore(start: number, called: number, latest: number): boolean {
  const now = performance.now()
  if (now - start < MOST_MS) return true
  return now < latest && now - start < (HELD_BACK_MS * called) / AT_ONCE
}
