import assert from 'node:assert/strict'
import type { Cancellation, PetRepository } from '@pet-store/domain'
import { CALL_LIMIT_MS, interrupted } from '../adapter/outage.ts'
import { untilAvailable } from '../adapter/until-available.ts'
import { awaitedLater } from '../case/awaited-later.ts'
import { casesOf } from '../case/contract-case.ts'
import { endWithin } from '../case/time-limit.ts'
import { wait } from '../case/wait.ts'
import type { HarnessCase } from '../persistence-harness.ts'
import { type Attempt, attempt, expectStoredAsSaid } from './attempts.ts'

const GROUP = { group: 'persistence.unavailable', timeLimitMs: 120_000 }

/** More than an adapter sends at a time, if it lets others wait. */
const ADDS = 48

/** In this time an adapter has sent what it sends, and no deadline runs out. */
const SENT_WITHIN_MS = 300

/** Callers cancel adds that their adapter has not sent, because earlier ones have no response. */
export const cancelledCases: readonly HarnessCase[] = casesOf(GROUP, {
  'frozen-cancelled: rejects adds that wait for others when their callers cancel': interrupted(
    async ({ persistence: { pets }, interrupt: freeze, scale }) => {
      const add = (label: string, cancellation?: Cancellation) =>
        endWithin(
          2 * CALL_LIMIT_MS * scale,
          () => addMany(pets, label, cancellation),
          'An add of many at the same time',
        )
      // With all its connections: opening one takes as long as the database does not respond.
      const attempts = await add('before')
      const long = await freeze()
      const adding = add('unanswered')
      await Promise.allSettled([adding])
      await long.end()
      const unanswered = await adding
      await untilAvailable(() => pets.list({ limit: 1 }))
      attempts.push(...unanswered, ...(await add('between')))
      const controller = new AbortController()
      const brief = await freeze()
      const cancelled = awaitedLater(add('cancelled', controller.signal))
      try {
        await wait(SENT_WITHIN_MS)
        controller.abort()
      } finally {
        await brief.end()
      }
      attempts.push(...(await cancelled))
      // What said so was not sent before its deadline, so others as many have waited too.
      const haveWaited = unanswered.some(({ outcome }) => outcome === 'not_stored')
      const isRejected = (await cancelled).some(({ pet }) => pet === undefined)
      assert.ok(
        isRejected || !haveWaited,
        `adds that were cancelled while they waited must reject: of ${ADDS} some have waited, ` +
          'and each was stored',
      )
      await expectStoredAsSaid(pets, attempts)
    },
    'freeze',
  ),
})

function addMany(
  pets: PetRepository,
  label: string,
  cancellation?: Cancellation,
): Promise<Attempt[]> {
  return Promise.all(
    Array.from({ length: ADDS }, (_, count) =>
      attempt(pets, `${label}-${count}`, count % 2 === 1, cancellation),
    ),
  )
}
