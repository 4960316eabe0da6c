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

/** For how long all calls on pets begin, in one database. */
const PETS_MS = 60_000

export const interleavedCases: readonly HarnessCase[] = casesOf(GROUP, {
  'pets: gives two calls on pets the results that they have one after the other': async (
    harness,
  ) => {
    await withHeldDatabase(
      harness,
      async (database) => {
        for (const slow of [...petReads, ...petWrites])
          for (const beside of petWrites) {
            await expectOneAfterTheOther(
              (work) => work(database),
              (name) => ({
                before: petsBefore(name),
                slow: slow(0, name),
                beside: beside(1, name),
                after: petsAfter(name),
              }),
            )
            forgetItems(database)
          }
      },
      PETS_MS,
    )
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
      await expectOneAfterTheOther((work) => withHeldDatabase(harness, work), callsOf)
    },
  'api-keys: gives two calls on API keys the results that they have one after the other': async (
    harness,
  ) => {
    // Each list in a database of its own: it reads every key.
    for (const slow of keyLists)
      await withHeldDatabase(harness, (database) => expectKeyChanges(database, slow, keyWrites))
    await withHeldDatabase(harness, async (database) => {
      for (const slow of [...keyLookUps, ...keyWrites]) {
        // What bulk access writes of a key that is changed meanwhile is not stated.
        const isLookUp = keyLookUps.includes(slow)
        await expectKeyChanges(
          database,
          slow,
          isLookUp ? [...keyWrites, writeOtherHash] : keyWrites,
        )
        forgetItems(database)
      }
    })
  },
  'limits: counts both of two requests that are made at the same time': async (harness) => {
    assertSeveralProcesses(harness)
    assertTested(harness.capabilities?.sharedLimits, 'the adapter does not declare sharedLimits')
    await withHeldDatabase(harness, async (database) => {
      await untilNoWindowEnds(rateLimiterOf(database.other.openings[1] as Persistence))
      await expectOneAfterTheOther(
        (work) => work(database),
        (name) => ({
          before: [],
          slow: takeCall(0, LONG_MS, name),
          beside: takeCall(1, LONG_MS, name),
          after: [takeCall(1, LONG_MS, name)],
        }),
      )
    })
  },
})

async function expectKeyChanges(
  database: HeldDatabase,
  slow: CallOf,
  all: readonly CallOf[],
): Promise<void> {
  database.other.openings.map(apiKeysOf)
  for (const beside of all)
    await expectOneAfterTheOther(
      (work) => work(database),
      (name) => ({
        before: keysBefore(name),
        slow: slow(0, name),
        beside: beside(1, name),
        after: keysAfter(name),
      }),
    )
}
