import assert from 'node:assert/strict'
import type { Persistence } from '@pet-store/persistence'
import { casesOf } from '../case/contract-case.ts'
import { expectEqual } from '../case/expectations.ts'
import { assertTested } from '../case/not-tested.ts'
import { endWithin } from '../case/time-limit.ts'
import { wait } from '../case/wait.ts'
import { type Call, everyCall, prepareCalls } from '../persistence-cases/every-call.ts'
import {
  allEnded,
  aRandomMoment,
  CALL_LIMIT_MS,
  closeDuring,
  expectNotOpened,
  expectUnavailable,
  interrupted,
  OPENING_LIMIT_MS,
  openForEachCall,
} from '../persistence-cases/outage.ts'
import { expectWorks, expectWorksAgain } from '../persistence-cases/working.ts'
import { type HarnessCase, memberOf } from '../persistence-harness.ts'
import { withPersistence } from '../with-persistence.ts'
import { type Attempt, attempt, expectStoredAsSaid, writeUntil } from './attempts.ts'

const GROUP = { group: 'persistence.unavailable', timeLimitMs: 120_000 }
/** In each round the interruption comes at another moment of a write. */
const ROUNDS = 6
const WRITERS = 12
const PAUSE_MS = 20
/** In this time an adapter finds out that the database has gone. */
const KNOWN_WITHIN_MS = 3_000
const POLL_MS = 10
const MAX_POLLS = 30
/** In this time an adapter may repeat what it has said not to be stored, or not to know. */
const REPEATED_WITHIN_MS = 1_000
/** How many openings are closed during an outage, each at another moment of its writes. */
const CLOSINGS = 3

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
      const [attempts] = await allEnded([
        attemptAll(persistence, 'writes', scale),
        expectUnavailable(others, scale),
      ])
      attempts.push(...(await attemptUntilNotStored(persistence)))
      await end()
      await expectWorksAgain(persistence, 'afterwards')
      await expectStoredAsSaid(persistence.pets, attempts)
    }),
  'acknowledged: has every acknowledged pet once after interruptions, and none said not stored':
    interrupted(async ({ persistence, interrupt, scale }) => {
      const { pets } = persistence
      await prepareCalls(persistence, 'acknowledged')
      const attempts: Attempt[] = []
      for (let round = 0; round < ROUNDS; round += 1) {
        const hasEnded = { value: false }
        let isDown = false
        const rejected = new Set<number>()
        const writers = Array.from({ length: WRITERS }, (_, writer) =>
          writeUntil(hasEnded, async (count) => {
            const hasBegunDown = isDown
            const name = `${round}-${writer}-${count}`
            const attempted = await attempt(pets, name, writer % 2 === 1)
            if (hasBegunDown) rejected.add(writer)
            return attempted
          }),
        )
        const others = everyCall(persistence, 'acknowledged')
          .filter(({ name }) => !isAdd(name))
          .map((call) => callUntil(hasEnded, call, scale))
        // Some writes are on their way, some were done and not answered.
        await aRandomMoment(10, 80)
        const { end } = await interrupt()
        isDown = true
        // An adapter may hold its calls back until their deadline.
        for (let polls = 0; polls < MAX_POLLS && rejected.size < WRITERS; polls += 1)
          await wait(POLL_MS)
        await end()
        hasEnded.value = true
        attempts.push(...(await Promise.all(writers)).flat())
        await Promise.all(others)
      }
      const acknowledged = attempts.filter(({ pet }) => pet !== undefined)
      assert.ok(acknowledged.length > 0, 'an add must resolve between two interruptions')
      await expectWorksAgain(persistence, 'afterwards')
      await expectStoredAsSaid(pets, attempts, REPEATED_WITHIN_MS)
    }),
  'closed: has what it acknowledged when it is closed while the database is unavailable': async (
    harness,
    scale,
  ) => {
    const interrupt = memberOf(harness, 'interrupt')
    const url = await harness.emptyDatabase()
    const attempts: Attempt[] = []
    const together = harness.capabilities?.severalProcesses ? CLOSINGS : 1
    for (let round = 0; round < CLOSINGS / together; round += 1) {
      const openings = await Promise.all(
        Array.from({ length: together }, () => harness.open({ url, mode: 'migrate' })),
      )
      const writing: Promise<Attempt>[] = []
      for (const [index, { pets }] of openings.entries()) {
        attempts.push(await attempt(pets, `${round}-${index}-before`, true))
        for (let writer = 0; writer < WRITERS; writer += 1)
          writing.push(attempt(pets, `${round}-${index}-${writer}`, writer % 2 === 1))
        await aRandomMoment(0, 10)
      }
      const { end } = await interrupt(url)
      try {
        // It may say that it could not finish; it must not hang, nor let an add hang.
        await endWithin(OPENING_LIMIT_MS * scale, () =>
          Promise.allSettled(openings.map(async (opened) => opened.close())),
        )
        attempts.push(...(await endWithin(CALL_LIMIT_MS * scale, () => Promise.all(writing))))
      } finally {
        await end()
      }
    }
    await withPersistence(harness, url, ({ pets }) => expectStoredAsSaid(pets, attempts))
  },
  'closed-frozen: ends every call and close in time while the database is silent, calls first':
    async (harness, scale) => {
      const freeze = memberOf(harness, 'freeze')
      const url = await harness.emptyDatabase()
      const opened = await harness.open({ url, mode: 'migrate' })
      const attempts = [await attempt(opened.pets, 'before', true)]
      await prepareCalls(opened, 'closing')
      // Each call alone too: beside others it may end in time because close waits for those.
      const alone = harness.capabilities?.severalProcesses
        ? await openForEachCall(harness, url)
        : []
      const { end } = await freeze(url)
      try {
        const writing = Array.from({ length: WRITERS }, (_, writer) =>
          attempt(opened.pets, `${writer}`, writer % 2 === 1),
        )
        const others = everyCall(opened, 'closing').filter(({ name }) => !isAdd(name))
        const adds = { name: 'every add', run: () => Promise.all(writing) }
        await allEnded([
          closeDuring(opened, [adds, ...others], scale),
          ...alone.map(({ one, call }) => closeDuring(one, [call], scale)),
        ])
        attempts.push(...(await Promise.all(writing)))
      } finally {
        await end()
      }
      await withPersistence(harness, url, ({ pets }) => expectStoredAsSaid(pets, attempts))
    },
  'frozen: rejects every call in time while the database is silent, and loses or adds nothing':
    interrupted(async ({ persistence, interrupt: freeze, harness, url, scale }) => {
      const { pets } = persistence
      const before = await attempt(pets, 'before', true)
      await prepareCalls(persistence, 'frozen')
      for (const { isRead, run } of everyCall(persistence, 'frozen')) if (isRead) await run()
      // These find the database frozen before they have a response, or after.
      const hasEnded = { value: false }
      const begun = everyCall(persistence, 'begun')
        .filter(({ isRead }) => isRead)
        .map((call) => callUntil(hasEnded, call, scale))
      const { end, readsWork = false } = await freeze()
      hasEnded.value = true
      const others = everyCall(persistence, 'frozen').filter(
        ({ name, isRead }) => !(isRead && readsWork) && !isAdd(name),
      )
      const [attempts] = await allEnded([
        attemptAll(persistence, 'frozen', scale),
        expectUnavailable(others, scale),
        ...begun,
        ...(readsWork ? [] : [expectNotOpened(() => harness.open({ url }), scale)]),
      ])
      await end()
      await expectWorksAgain(persistence, 'afterwards')
      await expectStoredAsSaid(pets, [before, ...attempts], REPEATED_WITHIN_MS)
    }, 'freeze'),
})

/** What it says of the pet is looked at too. */
function isAdd(name: string): boolean {
  return name.startsWith('pets.add')
}

/** Adds pets, each of which must be rejected in time. */
async function attemptAll({ pets }: Persistence, label: string, scale: number): Promise<Attempt[]> {
  const attempts = await Promise.all(
    [1, 2, 3, 4].map((count) =>
      endWithin(CALL_LIMIT_MS * scale, () => attempt(pets, `${label}-${count}`, count > 2)),
    ),
  )
  for (const { name, pet } of attempts)
    expectEqual(pet, undefined, `the add of the pet ${name} must reject`)
  return attempts
}

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

/** Calls again and again: each must end in time, however the interruption finds it. */
async function callUntil(
  hasEnded: { readonly value: boolean },
  { name, run }: Call,
  scale: number,
): Promise<void> {
  while (!hasEnded.value) {
    const ended = run().then(
      () => undefined,
      () => undefined,
    )
    await endWithin(CALL_LIMIT_MS * scale, () => ended).catch(() =>
      assert.fail(`${name} must end within ${CALL_LIMIT_MS} ms, also during an interruption`),
    )
    await wait(1)
  }
}
