import assert from 'node:assert/strict'
import type { Persistence } from '@pet-store/persistence'
import { expectEqual, expectRejection } from '../case/expectations.ts'
import { endWithin } from '../case/time-limit.ts'
import { wait } from '../case/wait.ts'
import { memberOf } from '../harness/harness-members.ts'
import type { Interruption, PersistenceHarness } from '../harness/persistence-harness.ts'
import { type Call, doneAmong } from './every-call.ts'
import { untilAvailable } from './until-available.ts'
import { withPersistence } from './with-persistence.ts'

/** How calls reject while the database is unavailable. */
export const UNAVAILABLE = { name: 'PetError', code: 'persistence_unavailable' }
/** "A few seconds", on a machine that is busy too. */
export const CALL_LIMIT_MS = 10_000
export const OPENING_LIMIT_MS = 30_000

/** The functions whose errors need no code: the port says only that they reject. */
export const HAVE_NO_CODE: readonly string[] = ['check', 'isMigrated', 'readClock']

/** It rejects when it is repeated: its id is taken. */
export const ADDS_A_KEY = 'apiKeys.add'

/** What a case works with whose database becomes unavailable. */
export interface Outage {
  readonly persistence: Persistence
  readonly interrupt: () => Promise<Interruption>
  readonly harness: PersistenceHarness
  readonly url: string
  /** By how much every limit is longer than usual. */
  readonly scale: number
}

/** Opens a new database; what the case interrupts ends before it is closed. */
export function interrupted(
  work: (outage: Outage) => Promise<void>,
  how: 'interrupt' | 'freeze' | 'fill' = 'interrupt',
): (harness: PersistenceHarness, scale: number) => Promise<void> {
  return async (harness, scale) => {
    const begin = memberOf(harness, how)
    const url = await harness.emptyDatabase({ mayHaveSchema: true })
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

/** A time within which a write is sent, done or answered. */
export function aRandomMoment(leastMs: number, mostMs: number): Promise<void> {
  const durationMs = leastMs + Math.random() * (mostMs - leastMs)
  return wait(durationMs)
}

/** Waits for every one, then rejects if one of them did: none disturbs what comes next. */
export async function allEnded<Results extends readonly unknown[]>(
  works: {
    readonly [Index in keyof Results]: Promise<Results[Index]>
  },
): Promise<Results> {
  await Promise.allSettled(works)
  return Promise.all(works)
}

/**
 * Expects each call to reject in time, all at once: each may take as long as its deadline. The
 * rejections of the ports have a code. `isMigrated` may know it from before. Returns the names of
 * the calls that said `not_stored`.
 */
export async function expectUnavailable(
  calls: readonly Call[],
  scale: number,
): Promise<ReadonlySet<string>> {
  const notStored = new Set<string>()
  const noted = calls.map(({ name, isRead, run }): Call => {
    const note = (error: unknown) => {
      if (Object(error).outcome === 'not_stored') notStored.add(name)
      throw error
    }
    return { name, isRead, run: () => run().catch(note) }
  })
  await allEnded(noted.map((call) => expectOneUnavailable(call, scale)))
  return notStored
}

/** Expects that these calls, which said `not_stored` during an outage, have changed nothing. */
export async function expectNotDone(
  opened: Persistence,
  label: string,
  notStored: ReadonlySet<string>,
): Promise<void> {
  const done = await untilAvailable(() => doneAmong(opened, label, notStored))
  expectEqual(done, [], 'the calls that said not_stored, and have changed an API key')
}

async function expectOneUnavailable({ name, run }: Call, scale: number): Promise<void> {
  const call = () => endWithin(CALL_LIMIT_MS * scale, run, name)
  if (name === 'isMigrated') {
    const isMigrated = await call().catch((error: unknown) => {
      if (error instanceof assert.AssertionError) throw error
      return true
    })
    return expectEqual(isMigrated, true, 'isMigrated must not say that migrations are pending')
  }
  const code = HAVE_NO_CODE.includes(name) ? {} : { code: UNAVAILABLE.code }
  const properties = name.startsWith('pets.') ? UNAVAILABLE : code
  await expectRejection(call, `${name} must reject within ${CALL_LIMIT_MS} ms`, properties)
}

/** Expects that nothing opens the database while it is unavailable. */
export async function expectNotOpened(open: () => Promise<unknown>, scale: number): Promise<void> {
  // What it resolves with may be nothing that can be closed.
  await expectRejection(
    () => endWithin(OPENING_LIMIT_MS * scale, open, 'Opening'),
    'opening must reject in time',
  )
}

/** Calls again and again: each must end in time, however the interruption finds it. */
export async function callUntil(
  hasEnded: { readonly value: boolean },
  { name, run }: Call,
  scale: number,
): Promise<void> {
  while (!hasEnded.value) {
    const ended = run().then(
      () => undefined,
      (error: unknown) => ({ error }),
    )
    const rejected = await endWithin(CALL_LIMIT_MS * scale, () => ended).catch(() =>
      assert.fail(`${name} must end within ${CALL_LIMIT_MS} ms, also during an interruption`),
    )
    if (rejected !== undefined && !HAVE_NO_CODE.includes(name) && name !== ADDS_A_KEY) {
      const call = () => Promise.reject(rejected.error)
      const { code } = UNAVAILABLE
      await expectRejection(call, `${name}, which an interruption has found`, { code })
    }
    // What is rejected at once is not called a thousand times in a second.
    await wait(rejected === undefined ? 1 : 5)
  }
}
