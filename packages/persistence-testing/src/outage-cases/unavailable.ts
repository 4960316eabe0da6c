import assert from 'node:assert/strict'
import type { Persistence } from '@pet-store/persistence'
import { everyCall, prepareCalls } from '../adapter/every-call.ts'
import { expectWorks, expectWorksAgain } from '../adapter/expect-works.ts'
import {
  allEnded,
  aRandomMoment,
  callUntil,
  expectNotDone,
  expectNotOpened,
  expectUnavailable,
  interrupted,
} from '../adapter/outage.ts'
import { awaitedLater } from '../case/awaited-later.ts'
import { casesOf } from '../case/contract-case.ts'
import { assertTested } from '../case/not-tested.ts'
import { wait } from '../case/wait.ts'
import type { HarnessCase } from '../harness/persistence-harness.ts'
import {
  type Attempt,
  attempt,
  attemptAll,
  expectStoredAsSaid,
  isAdd,
  writeUntil,
} from './attempts.ts'

const GROUP = { group: 'persistence.unavailable', timeLimitMs: 120_000 }

/** In each round the interruption comes at another moment of a write. */
const ROUNDS = 8

const WRITERS = 12

const PAUSE_MS = 20

/** In this time an adapter finds out that the database is unavailable. */
const KNOWN_WITHIN_MS = 3_000

const POLL_MS = 10

const MAX_POLLS = 30

/** In this time an adapter may repeat what it has said not to be stored, or not to know. */
const REPEATED_WITHIN_MS = 1_000

/**
 * While the database is unavailable the adapter says so, and it works again afterwards, with
 * everything it has acknowledged.
 */
export const unavailableCases: readonly HarnessCase[] = casesOf(GROUP, {
  'reads: rejects every read, and opening, in time while the database is unavailable': interrupted(
    async ({ persistence, interrupt, harness, url, scale }) => {
      await prepareCalls(persistence, 'reads')
      const reads = everyCall(persistence, 'reads').filter(({ isRead }) => isRead)
      // What an adapter remembers of them may be of no use afterwards.
      for (const { run } of reads) await run()
      const { readsWork } = await interrupt()
      assertTested(
        !readsWork,
        'the database of this adapter can be read while it is unavailable for writing',
      )
      await allEnded([
        expectUnavailable(reads, scale),
        expectNotOpened(() => harness.open({ url }), scale),
      ])
    },
  ),
  'writes: rejects every write in time, with a true outcome, while unavailable, and works again':
    interrupted(async ({ persistence, interrupt, scale }) => {
      await prepareCalls(persistence, 'writes')
      await expectWorks(persistence, 'before')
      const { end } = await interrupt()
      const others = everyCall(persistence, 'writes').filter(
        ({ name, isRead }) => name === 'check' || !(isRead || isAdd(name)),
      )
      const [attempts, notStored] = await allEnded([
        attemptAll(persistence, 'writes', scale),
        expectUnavailable(others, scale),
      ])
      attempts.push(...(await attemptUntilNotStored(persistence)))
      await end()
      await expectWorksAgain(persistence, 'afterwards')
      await expectStoredAsSaid(persistence.pets, attempts)
      await expectNotDone(persistence, 'writes', notStored)
    }),
  'acknowledged: has every acknowledged pet once after interruptions, and none said not stored':
    interrupted(async ({ persistence, interrupt, scale }) => {
      const { pets } = persistence
      await prepareCalls(persistence, 'acknowledged')
      const attempts: Attempt[] = []
      for (let round = 0; round < ROUNDS; round += 1) {
        // With all its connections: after an interruption an adapter may have none.
        const before = Array.from({ length: WRITERS }, (_, writer) =>
          attempt(pets, `${round}-before-${writer}`, true),
        )
        attempts.push(...(await Promise.all(before)))
        const hasEnded = { value: false }
        let isDown = false
        let addMs = 0
        const rejected = new Set<number>()
        const write = (writer: number) =>
          writeUntil(hasEnded, async (count) => {
            const hasBegunDown = isDown
            const name = `${round}-${writer}-${count}`
            const start = performance.now()
            const attempted = await attempt(pets, name, writer % 2 === 1)
            if (hasBegunDown) rejected.add(writer)
            else if (attempted.pet !== undefined) addMs = performance.now() - start
            return attempted
          })
        const writing = Array.from({ length: WRITERS }, (_, writer) => awaitedLater(write(writer)))
        const calling = everyCall(persistence, 'acknowledged')
          .filter(({ name }) => !isAdd(name))
          .map((call) => awaitedLater(callUntil(hasEnded, call, scale)))
        try {
          await aRandomMoment(10, 80)
          // On a machine that is slow enough the others are all between two adds.
          writing.push(
            ...[false, true].map((isKeyed) =>
              awaitedLater(attempt(pets, `${round}-last-${isKeyed}`, isKeyed).then((one) => [one])),
            ),
          )
          // Within the time of an add: these are on their way, or done and not answered.
          await aRandomMoment(0, addMs)
          const { end } = await interrupt()
          isDown = true
          // An adapter may hold its calls back until their deadline.
          for (let polls = 0; polls < MAX_POLLS && rejected.size < WRITERS; polls += 1)
            await wait(POLL_MS)
          await end()
        } finally {
          hasEnded.value = true
        }
        attempts.push(...(await Promise.all(writing)).flat())
        await Promise.all(calling)
      }
      const acknowledged = attempts.filter(({ pet }) => pet !== undefined)
      assert.ok(acknowledged.length > 0, 'an add must resolve between two interruptions')
      await expectWorksAgain(persistence, 'afterwards')
      await expectStoredAsSaid(pets, attempts, REPEATED_WITHIN_MS)
    }),
})

/**
 * Adds pets until the adapter knows that it can send nothing: a moment after the interruption, or
 * at once.
 */
async function attemptUntilNotStored({ pets }: Persistence): Promise<readonly Attempt[]> {
  const attempts: Attempt[] = []
  const start = performance.now()
  while (attempts.length < 3 || performance.now() - start < KNOWN_WITHIN_MS) {
    const last = await attempt(pets, `nothing-sent-${attempts.length}`, attempts.length % 2 === 1)
    attempts.push(last)
    if (last.outcome === 'not_stored') return attempts
    await wait(PAUSE_MS)
  }
  return assert.fail('an add must say not_stored if nothing of it can be sent, and not unknown')
}
