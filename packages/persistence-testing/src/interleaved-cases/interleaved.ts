import type { Persistence } from '@pet-store/persistence'
import { apiKeysOf, rateLimiterOf } from '../adapter/with-persistence.ts'
import { takeCall } from '../call-choices/rate-limit-choices.ts'
import { casesOf } from '../case/contract-case.ts'
import { assertTested } from '../case/not-tested.ts'
import type { HarnessCase } from '../harness/persistence-harness.ts'
import { assertSeveralProcesses } from '../harness/several-processes.ts'
import { LONG_MS, untilNoWindowEnds } from '../rate-limiter-cases/long-window.ts'
import {
  keyLists,
  keyLookUps,
  keysAfter,
  keysBefore,
  keyWrites,
  writeOtherHash,
} from './api-key-calls.ts'
import type { CallOf } from './call-of.ts'
import { forgetItems, type HeldDatabase, withHeldDatabase } from './held-database.ts'
import { expectOneAfterTheOther, type TwoCallsOf } from './interleaving.ts'
import {
  addWithExpiredKey,
  addWithNewKey,
  petReads,
  petsAfter,
  petsBefore,
  petWrites,
} from './pet-calls.ts'

const GROUP = { group: 'persistence.interleaved', timeLimitMs: 120_000 }

/** An adapter may delete expired keys after it has responded. */
const AFTERWARDS_MS = 50

/** For how long pairs of calls begin: of a slow adapter there are fewer. */
const BEGINNING_MS = 60_000

export const interleavedCases: readonly HarnessCase[] = casesOf(GROUP, {
  'pets: gives two calls on pets the results that they have one after the other': async (
    harness,
  ) => {
    const latestMs = performance.now() + BEGINNING_MS
    await withHeldDatabase(harness, async (database) => {
      for (const slow of [...petReads, ...petWrites]) {
        for (const beside of petWrites) {
          const callsOf: TwoCallsOf = (name) => ({
            before: petsBefore(name),
            slow: slow(0, name),
            beside: beside(1, name),
            after: petsAfter(name),
          })
          await expectOneAfterTheOther((work) => work(database), callsOf, latestMs)
          forgetItems(database)
        }
      }
    })
  },
  'expired-keys: keeps an idempotency key that is used again while another one is used first':
    async (harness) => {
      const callsOf: TwoCallsOf = (name) => ({
        before: petsBefore(name),
        slow: addWithNewKey(0, name),
        beside: addWithExpiredKey(1, name),
        after: petsAfter(name),
        afterwardsMs: AFTERWARDS_MS,
      })
      // Each time in a new opening: an adapter may delete expired keys once, and then not for long.
      const latestMs = performance.now() + BEGINNING_MS
      await expectOneAfterTheOther((work) => withHeldDatabase(harness, work), callsOf, latestMs)
    },
  'api-keys: gives two calls on API keys the results that they have one after the other': async (
    harness,
  ) => {
    const latestMs = performance.now() + BEGINNING_MS
    await withHeldDatabase(harness, async (database) => {
      for (const slow of [...keyLookUps, ...keyWrites]) {
        // What bulk access writes of a key that is changed meanwhile is not stated.
        const isLookUp = keyLookUps.includes(slow)
        const all = isLookUp ? [...keyWrites, writeOtherHash] : keyWrites
        await expectKeyChanges(database, slow, all, latestMs)
        forgetItems(database)
      }
    })
    // Each list in a database of its own: it reads every key.
    for (const slow of keyLists) {
      await withHeldDatabase(harness, (database) =>
        expectKeyChanges(database, slow, keyWrites, latestMs),
      )
    }
  },
  'limits: counts both of two requests that are made at the same time': async (harness) => {
    assertSeveralProcesses(harness)
    assertTested(harness.capabilities?.sharedLimits, 'the adapter does not declare sharedLimits')
    await withHeldDatabase(harness, async (database) => {
      await untilNoWindowEnds(rateLimiterOf(database.other.openings[1] as Persistence))
      const callsOf: TwoCallsOf = (name) => ({
        before: [],
        slow: takeCall(0, LONG_MS, name),
        beside: takeCall(1, LONG_MS, name),
        after: [takeCall(1, LONG_MS, name)],
      })
      const latestMs = performance.now() + BEGINNING_MS
      await expectOneAfterTheOther((work) => work(database), callsOf, latestMs)
    })
  },
})

async function expectKeyChanges(
  database: HeldDatabase,
  slow: CallOf,
  all: readonly CallOf[],
  latestMs: number,
): Promise<void> {
  database.other.openings.map(apiKeysOf)
  for (const beside of all) {
    const callsOf: TwoCallsOf = (name) => ({
      before: keysBefore(name),
      slow: slow(0, name),
      beside: beside(1, name),
      after: keysAfter(name),
    })
    await expectOneAfterTheOther((work) => work(database), callsOf, latestMs)
  }
}
