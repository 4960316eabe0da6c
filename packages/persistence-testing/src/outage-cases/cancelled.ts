import assert from 'node:assert/strict'
import { AsyncLocalStorage } from 'node:async_hooks'
import type { Cancellation, PetRepository } from '@pet-store/domain'
import type { OnStatement } from '@pet-store/persistence'
import { allEnded, CALL_LIMIT_MS, interrupted } from '../adapter/outage.ts'
import { untilAvailable } from '../adapter/until-available.ts'
import { awaitedLater } from '../case/awaited-later.ts'
import { casesOf } from '../case/contract-case.ts'
import { expectEqual } from '../case/expectations.ts'
import { endWithin } from '../case/time-limit.ts'
import { wait } from '../case/wait.ts'
import type { HarnessCase } from '../harness/persistence-harness.ts'
import { maxOpenings } from '../harness/several-processes.ts'
import { type Attempt, attempt, expectStoredAsSaid } from './attempts.ts'

const GROUP = { group: 'persistence.unavailable', timeLimitMs: 120_000 }

/** More than an adapter sends at a time, if it lets others wait. */
const ADDS = 48

/** In this time an adapter has sent what it sends, and no deadline runs out. */
const SENT_WITHIN_MS = 300

/** Callers cancel adds that their adapter has not sent, because earlier ones have no response. */
export const cancelledCases: readonly HarnessCase[] = casesOf(GROUP, {
  'frozen-cancelled: rejects adds that wait for others when their callers cancel': interrupted(
    async ({ persistence: { pets }, interrupt: freeze, harness, url, scale }) => {
      const add = (label: string, cancellation?: Cancellation, to = pets) =>
        endWithin(
          2 * CALL_LIMIT_MS * scale,
          () => addMany(to, label, cancellation),
          'An add of many at the same time',
        )
      // With all its connections: opening one takes as long as the database does not respond.
      const attempts = await add('before')
      const long = await freeze()
      const waiting = add('unanswered')
      await Promise.allSettled([waiting])
      await long.end()
      const unanswered = await waiting
      await untilAvailable(() => pets.list({ limit: 1 }))
      attempts.push(...unanswered, ...(await add('between')))
      const begun = new Set<string | undefined>()
      const onStatement: OnStatement = () => void begun.add(nameOfAdd.getStore())
      // It has few connections, so adds wait for others to be opened.
      const other =
        maxOpenings(harness, 2) > 1
          ? await harness.open({ url, mode: 'write', onStatement })
          : undefined
      try {
        const controller = new AbortController()
        const brief = await freeze()
        const adding = awaitedLater(
          allEnded([
            add('cancelled', controller.signal),
            other ? add('new', controller.signal, other.pets) : Promise.resolve<Attempt[]>([]),
          ]),
        )
        let begunBefore: ReadonlySet<string | undefined> = begun
        try {
          await wait(SENT_WITHIN_MS)
          begunBefore = new Set(begun)
          controller.abort()
        } finally {
          await brief.end()
        }
        const [cancelled, ofOther] = await adding
        attempts.push(...cancelled, ...ofOther)
        // What said so was not sent before its deadline, so others as many have waited too.
        const haveWaited = unanswered.some(({ outcome }) => outcome === 'not_stored')
        const isRejected = cancelled.some(({ pet }) => pet === undefined)
        assert.ok(
          isRejected || !haveWaited,
          `adds that were cancelled while they waited must reject: of ${ADDS} some have waited, ` +
            'and each was stored',
        )
        const stored = ofOther.filter(({ name, pet }) => pet && !begunBefore.has(name))
        if (begun.size > 0)
          expectEqual(
            stored.map(({ name }) => name),
            [],
            'the pets that were stored although no statement of theirs had begun to run or wait ' +
              'when their callers cancelled',
          )
        await expectStoredAsSaid(pets, attempts)
      } finally {
        await other?.close()
      }
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
      addNamed(pets, `${label}-${count}`, count % 2 === 1, cancellation),
    ),
  )
}

/** In whose asynchronous context its statements are reported. */
const nameOfAdd = new AsyncLocalStorage<string>()

const addNamed: typeof attempt = (pets, name, ...rest) =>
  nameOfAdd.run(name, () => attempt(pets, name, ...rest))
