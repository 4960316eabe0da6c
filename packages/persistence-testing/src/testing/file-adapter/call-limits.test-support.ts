import { existsSync } from 'node:fs'
import { type Cancellation, persistenceUnavailable } from '@pet-store/domain'
import type { OpenMode } from '@pet-store/persistence'
import { wait, waitInSteps } from './wait.test-support.ts'

/** What limits the calls of the file adapter. */
export interface CallLimits {
  /**
   * Rejects a call that is one too many, or too late, or has no capacity; `undefined` without such
   * a limit.
   */
  assertAllowed(): Promise<void> | undefined
  noteRejected(): void
  /** Runs a change beside others, or rejects it. */
  besideOthers(change: () => Promise<void>): Promise<void>
  /** Does work of a port, and some of it a moment later again. */
  laterToo<Result>(portName: string, work: () => Promise<Result>): Promise<Result>
  /** Rejects where a check must not write, or after too many. */
  check(mode: OpenMode | undefined): void
  /** Whether the last call was so long ago that an adapter has closed what it needs. */
  wasIdle(): boolean
}

export function callLimitsOf(
  has: (fault: string) => boolean,
  isDown: () => boolean,
  pathname: string,
): CallLimits {
  let rejected = 0
  let changing = 0
  let checks = 0
  let lastMs = performance.now()
  let wasFull = false
  let line: Promise<void> = Promise.resolve()
  return {
    async besideOthers(change) {
      if (!has('changes-few-at-once')) return change()
      changing += 1
      try {
        await wait(1)
        if (changing > 10) throw persistenceUnavailable()
        await change()
      } finally {
        changing -= 1
      }
    },
    laterToo(portName, work) {
      if (wasFull && has('works-again-when-checked')) throw persistenceUnavailable()
      if (isDown() && portName === 'apiKeys' && has('changes-keys-later')) void onceUp(isDown, work)
      if (isDown() && portName === 'apiKeys' && has('waits-in-line-while-down')) {
        line = line.then(() => wait(50))
        return line.then(work)
      }
      return work()
    },
    assertAllowed() {
      wasFull ||= existsSync(`${pathname}.full`)
      if (existsSync(`${pathname}.full`))
        throw has('fails-when-full') ? new Error('ENOSPC') : persistenceUnavailable()
      if (has('stops-at-a-newer-schema') && existsSync(`${pathname}.newer`))
        throw new Error('The type of a result has changed.')
      if (has('counts-rejected-calls') && rejected > 10_000) throw persistenceUnavailable()
      if (has('copies-cancellations') && isDown()) return untilUp(isDown)
      if (has('counts-late-calls') && rejected > 7_000) throw persistenceUnavailable()
      return has('limits-calls-by-date') ? endBefore(Date.now() + 5_000) : undefined
    },
    check(mode) {
      if (has('writes-to-check') && mode === 'read') throw persistenceUnavailable()
      wasFull = false
      checks += 1
      if (has('checks-a-thousand-times') && checks > 1_000) throw new Error('Too many checks.')
    },
    wasIdle() {
      const idleMs = performance.now() - lastMs
      lastMs = performance.now()
      return has('closes-when-idle') && idleMs > 300
    },
    noteRejected() {
      rejected += 1
    },
  }
}

async function endBefore(deadline: number): Promise<void> {
  await wait(1)
  if (Date.now() > deadline) throw persistenceUnavailable()
}

/** Waits, for three seconds at most, until the database is up again. */
export async function untilUp(isDown: () => boolean): Promise<void> {
  for (let waits = 0; waits < 60 && isDown(); waits += 1) await wait(50)
}

/** Does work once more by itself, a moment later or when an outage has ended. */
export async function onceUp(isDown: () => boolean, work: () => Promise<unknown>): Promise<void> {
  await wait(300)
  while (isDown()) await wait(20)
  // After a case that has ended by then, the file may be gone.
  await work().catch(() => undefined)
}

/** Whether a caller still waited when it called. */
export function cancellationOf(
  has: (fault: string) => boolean,
  given: Cancellation | undefined,
): Cancellation | undefined {
  if (has('connects-for-cancelled-adds')) return undefined
  return has('copies-cancellations') ? given && { aborted: given.aborted } : given
}

/** Does work, whose result an outage soon afterwards loses, and then does it again. */
export async function repeatedIfLost<Result>(
  isDown: () => boolean,
  work: () => Promise<Result>,
): Promise<Result> {
  const result = await work()
  await waitInSteps(200, isDown)
  if (!isDown()) return result
  while (isDown()) await wait(5)
  return work()
}
