import assert from 'node:assert/strict'
import type { Persistence } from '@pet-store/persistence'
import { assertTested, casesOf, endWithin, expectEqual, expectRejection } from '../contract-case.ts'
import {
  type HarnessCase,
  type Interruption,
  memberOf,
  type PersistenceHarness,
  withPersistence,
} from '../persistence-harness.ts'
import { type Attempt, attempt, expectStoredAsSaid, RETRY_MS, UNAVAILABLE } from './attempts.ts'
import { type Call, everyCall, prepareCalls } from './every-call.ts'
import { expectWorksAgain } from './working.ts'

const GROUP = { group: 'persistence.unavailable', timeLimitMs: 120_000 }
/** "A few seconds", on a machine that is busy too. */
const CALL_LIMIT_MS = 10_000
const OPENING_LIMIT_MS = 30_000
/** In each round the interruption comes at another moment of a write. */
const ROUNDS = 6
const WRITERS = 12

/**
 * While the database is unavailable the adapter says so, and it works again afterwards, with
 * everything it has acknowledged.
 */
export const unavailableCases: readonly HarnessCase[] = casesOf(GROUP, {
  'reads: rejects every read, and opening, in time while the database is unavailable': interrupted(
    async ({ persistence, interrupt, harness, url, scale }) => {
      await prepareCalls(persistence, 'reads')
      const { readsWork } = await interrupt()
      assertTested(
        !readsWork,
        'the database of this adapter can be read while it is unavailable for writing',
      )
      const reads = everyCall(persistence, 'reads').filter(({ isRead }) => isRead)
      for (const call of reads) await expectUnavailable(call, scale)
      await expectNotOpened(harness, url, scale)
    },
  ),
  'writes: rejects every write in time, with a true outcome, while unavailable, and works again':
    interrupted(async ({ persistence, interrupt, scale }) => {
      const { pets } = persistence
      await prepareCalls(persistence, 'writes')
      const { end } = await interrupt()
      const attempts = await attemptAll(persistence, 'writes', scale)
      const writes = everyCall(persistence, 'writes').filter(
        ({ name, isRead }) => !isRead && !name.startsWith('pets.'),
      )
      for (const call of writes) await expectUnavailable(call, scale)
      await expectRejection(
        () => endWithin(CALL_LIMIT_MS * scale, () => persistence.check()),
        'check must reject',
      )
      await end()
      await expectWorksAgain(persistence, 'afterwards')
      await expectStoredAsSaid(pets, attempts)
    }),
  'acknowledged: has every acknowledged pet once after interruptions, and none said not stored':
    interrupted(async ({ persistence: { pets }, interrupt }) => {
      const attempts: Attempt[] = []
      for (let round = 0; round < ROUNDS; round += 1) {
        const hasEnded = { value: false }
        const writers = Array.from({ length: WRITERS }, (_, writer) =>
          writeUntil(hasEnded, (count) =>
            attempt(pets, `${round}-${writer}-${count}`, writer % 2 === 1),
          ),
        )
        // Some writes are on their way, some were done and not answered.
        await new Promise((resolve) => setTimeout(resolve, 10 + Math.random() * 70))
        const { end } = await interrupt()
        await new Promise((resolve) => setTimeout(resolve, 3 * RETRY_MS))
        await end()
        hasEnded.value = true
        attempts.push(...(await Promise.all(writers)).flat())
      }
      const acknowledged = attempts.filter(({ pet }) => pet !== undefined)
      assert.ok(acknowledged.length > 0, 'an add must resolve between two interruptions')
      await expectStoredAsSaid(pets, attempts)
    }),
  'closed: has what it acknowledged when it is closed while the database is unavailable': async (
    harness,
    scale,
  ) => {
    const interrupt = memberOf(harness, 'interrupt')
    const url = await harness.emptyDatabase()
    const attempts: Attempt[] = []
    for (let round = 0; round < 3; round += 1) {
      const opened = await harness.open({ url, mode: 'migrate' })
      attempts.push(await attempt(opened.pets, `${round}-before`, true))
      const writing = Array.from({ length: WRITERS }, (_, writer) =>
        attempt(opened.pets, `${round}-${writer}`, writer % 2 === 1),
      )
      await new Promise((resolve) => setTimeout(resolve, Math.random() * 10))
      const { end } = await interrupt(url)
      try {
        // It may say that it could not finish; it must not hang, nor let an add hang.
        await endWithin(OPENING_LIMIT_MS * scale, () => opened.close().catch(() => undefined))
        attempts.push(...(await endWithin(CALL_LIMIT_MS * scale, () => Promise.all(writing))))
      } finally {
        await end()
      }
    }
    await withPersistence(harness, url, ({ pets }) => expectStoredAsSaid(pets, attempts))
  },
  'frozen: rejects every call in time while the database is silent, and loses or adds nothing':
    interrupted(async ({ persistence, interrupt: freeze, harness, url, scale }) => {
      const { pets } = persistence
      const before = await attempt(pets, 'before', true)
      await prepareCalls(persistence, 'frozen')
      const { end, readsWork = false } = await freeze()
      const others = everyCall(persistence, 'frozen').filter(
        ({ name, isRead }) => !(isRead && readsWork) && !/^pets[.]add/.test(name),
      )
      const attempts = await attemptAll(persistence, 'frozen', scale)
      const results = await Promise.allSettled([
        ...others.map((call) => expectUnavailable(call, scale)),
        ...(readsWork ? [] : [expectNotOpened(harness, url, scale)]),
      ])
      const failed = results.find((result) => result.status === 'rejected')
      if (failed !== undefined) throw failed.reason
      await end()
      await expectWorksAgain(persistence, 'afterwards')
      await expectStoredAsSaid(pets, [before, ...attempts])
    }, 'freeze'),
})

/** Adds pets, each of which must be rejected in time. */
async function attemptAll(
  { pets }: Persistence,
  label: string,
  scale: number,
): Promise<readonly Attempt[]> {
  const attempts = await Promise.all(
    [1, 2, 3, 4].map((count) =>
      endWithin(CALL_LIMIT_MS * scale, () => attempt(pets, `${label}-${count}`, count > 2)),
    ),
  )
  for (const { name, pet } of attempts)
    expectEqual(pet, undefined, `the add of the pet ${name} must reject`)
  return attempts
}

/** Tries one add after the other. */
async function writeUntil(
  hasEnded: { readonly value: boolean },
  attemptOne: (count: number) => Promise<Attempt>,
): Promise<readonly Attempt[]> {
  const attempts: Attempt[] = []
  while (!hasEnded.value && attempts.length < 50) {
    const last = await attemptOne(attempts.length)
    attempts.push(last)
    // What is rejected at once is not tried a thousand times.
    if (last.pet === undefined) await new Promise((resolve) => setTimeout(resolve, RETRY_MS))
  }
  return attempts
}

/** The rejections of the ports have a code. `isMigrated` may know it from before. */
async function expectUnavailable({ name, run }: Call, scale: number): Promise<void> {
  const call = () => endWithin(CALL_LIMIT_MS * scale, run)
  if (name === 'isMigrated') {
    const isMigrated = await call().catch((error: unknown) => {
      if (error instanceof assert.AssertionError) throw error
      return true
    })
    return expectEqual(isMigrated, true, 'isMigrated must not say that migrations are pending')
  }
  const code = name === 'check' ? {} : { code: UNAVAILABLE.code }
  const properties = name.startsWith('pets.') ? UNAVAILABLE : code
  await expectRejection(call, `${name} must reject within ${CALL_LIMIT_MS} ms`, properties)
}

async function expectNotOpened(
  { open }: PersistenceHarness,
  url: string,
  scale: number,
): Promise<void> {
  await expectRejection(
    () => endWithin(OPENING_LIMIT_MS * scale, async () => (await open({ url })).close()),
    'opening must reject in time',
  )
}

/** What a case of an interruption works with. */
interface Scene {
  readonly persistence: Persistence
  readonly interrupt: () => Promise<Interruption>
  readonly harness: PersistenceHarness
  readonly url: string
  /** By how much every limit is longer than usual. */
  readonly scale: number
}

/** Opens a new database; what the case interrupts ends before it is closed. */
function interrupted(
  work: (scene: Scene) => Promise<void>,
  how: 'interrupt' | 'freeze' = 'interrupt',
): (harness: PersistenceHarness, scale: number) => Promise<void> {
  return async (harness, scale) => {
    const begin = memberOf(harness, how)
    const url = await harness.emptyDatabase()
    await withPersistence(harness, url, async (persistence) => {
      await persistence.check()
      let interruption: Interruption | undefined
      const end = async () => {
        const ending = interruption?.end()
        interruption = undefined
        await ending
      }
      const interrupt = async () => {
        const begun = await begin(url)
        interruption = begun
        return { ...begun, end }
      }
      try {
        await work({ persistence, interrupt, harness, url, scale })
      } finally {
        await end()
      }
    })
  }
}
