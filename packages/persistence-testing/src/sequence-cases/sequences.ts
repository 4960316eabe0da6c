import fc from 'fast-check'
import { apiKeysOf, openBulkAccessOf, rateLimiterOf } from '../adapter/with-persistence.ts'
import { add } from '../call-choices/add-choices.ts'
import { ifApiKeys } from '../call-choices/api-key-call.ts'
import { apiKeyChoices, apiKeyChoicesAtOnce } from '../call-choices/api-key-choices.ts'
import { keyListChoices, lastKeyChoices } from '../call-choices/api-key-reads.ts'
import { bulkKeyChoices, lastBulkKeyChoices } from '../call-choices/bulk-key-choices.ts'
import {
  bulkPetChoices,
  bulkPetChoicesAtOnce,
  lastBulkPetChoices,
} from '../call-choices/bulk-pet-choices.ts'
import { openingChoices } from '../call-choices/opening-choices.ts'
import { lastPetChoices, list, petChoices, petChoicesAtOnce } from '../call-choices/pet-choices.ts'
import { ifKept, lastLimitChoices, rateLimitChoices } from '../call-choices/rate-limit-choices.ts'
import { casesOf } from '../case/contract-case.ts'
import { assertTested } from '../case/not-tested.ts'
import type { HarnessCase, PersistenceHarness } from '../harness/persistence-harness.ts'
import { assertSeveralProcesses } from '../harness/several-processes.ts'
import type { Choice, Choices } from '../model/model-call.ts'
import { withOpenDatabase } from '../model/open-database.ts'
import { untilNoWindowEnds } from '../rate-limiter-cases/long-window.ts'
import { callsAtOnce, expectAsModel, overlappingCalls, type Step } from './call-sequence.ts'
import { fillDatabase } from './filled-database.ts'

const GROUP = { group: 'persistence.sequence', timeLimitMs: 60_000 }

/** Random sequences of calls have the results that the ports state. */
export const sequenceCases: readonly HarnessCase[] = casesOf(GROUP, {
  'pets: gives each of many random calls on pets the result that the port states': (harness) =>
    expectAsModel(harness, oneByOne(petChoices), {
      sequences: 8,
      steps: 150,
      lastSteps: stepsOf(lastPetChoices),
    }),
  'api-keys: gives each of many random calls on API keys the result that the port states': async (
    harness,
  ) => {
    await assertHasApiKeys(harness)
    await expectAsModel(harness, oneByOne(apiKeyChoices), {
      sequences: 8,
      steps: 150,
      lastSteps: stepsOf(lastKeyChoices),
    })
  },
  'limits: gives many random requests, beside other calls, the allowances that the port states':
    async (harness) => {
      assertTested(await untilNoWindowEndsOf(harness), 'the adapter counts no requests')
      // In an adapter of one process they may be in its memory.
      const isKept = harness.capabilities?.severalProcesses ?? false
      const calls = fc.oneof(
        { weight: 6, arbitrary: rateLimitChoices },
        { weight: 1, arbitrary: petChoices },
        { weight: 1, arbitrary: apiKeyChoices.map(ifApiKeys) },
      )
      const onceOpened = calls.map((choice) => callsAtOnce([choice]))
      await expectAsModel(harness, isKept ? oneByOne(calls) : onceOpened, {
        sequences: 6,
        steps: 150,
        lastSteps: stepsOf(lastLimitChoices),
      })
    },
  'bulk: gives each of many random calls on ports and bulk access the result that they state':
    async (harness) => {
      openBulkAccessOf(harness)
      await untilNoWindowEndsOf(harness)
      const calls = fc.oneof(
        { weight: 4, arbitrary: petChoices },
        { weight: 2, arbitrary: apiKeyChoices },
        { weight: 4, arbitrary: bulkPetChoices },
        { weight: 2, arbitrary: bulkKeyChoices },
        { weight: 2, arbitrary: rateLimitChoices.map(ifKept) },
      )
      await expectAsModel(harness, oneByOne(calls), {
        sequences: 8,
        steps: 120,
        lastSteps: stepsOf([
          ...lastPetChoices,
          ...lastKeyChoices,
          ...lastBulkPetChoices,
          ...lastBulkKeyChoices,
          ...lastLimitChoices.map(ifKept),
        ]),
      })
    },
  'many: gives random calls the results that the ports state on thousands of pets and keys': (
    harness,
  ) =>
    expectAsModel(harness, oneByOne(petChoices), {
      sequences: 1,
      steps: 40,
      fill: fillDatabase,
      lastSteps: stepsOf([...lastPetChoices, ...lastKeyChoices]),
    }),
  'at-once: gives random calls at the same time results that they have one after the other': (
    harness,
  ) =>
    expectAsModel(harness, atOnce(petChoicesAtOnce, list), {
      sequences: 8,
      steps: 60,
      lastSteps: stepsOf(lastPetChoices),
    }),
  'at-once.bulk: gives random calls of bulk access and adds results that they have one by one':
    async (harness) => {
      openBulkAccessOf(harness)
      assertSeveralProcesses(harness)
      const calls = fc.oneof(
        { weight: 3, arbitrary: add },
        { weight: 1, arbitrary: petChoicesAtOnce },
        { weight: 5, arbitrary: bulkPetChoicesAtOnce },
      )
      await expectAsModel(harness, atOnce(calls, list, 3), {
        sequences: 8,
        steps: 12,
        lastSteps: stepsOf(lastPetChoices),
      })
    },
  'at-once.api-keys: gives random calls on API keys results that they have one after the other':
    async (harness) => {
      await assertHasApiKeys(harness)
      await expectAsModel(harness, atOnce(apiKeyChoicesAtOnce, keyListChoices), {
        sequences: 8,
        steps: 60,
        lastSteps: stepsOf(lastKeyChoices),
      })
    },
})

async function assertHasApiKeys(harness: PersistenceHarness): Promise<void> {
  await withOpenDatabase(harness, async ({ openings }) => void openings.map(apiKeysOf))
}

/** Whether the adapter counts requests. */
async function untilNoWindowEndsOf(harness: PersistenceHarness): Promise<boolean> {
  let counts = false
  await withOpenDatabase(harness, async ({ openings: [opened] }) => {
    if (opened?.createRateLimiter === undefined) return
    counts = true
    await untilNoWindowEnds(rateLimiterOf(opened))
  })
  return counts
}

const stepsOf = (choices: readonly Choice[]): readonly Step[] =>
  choices.map((choice) => callsAtOnce([choice]))

/** Sometimes the database is opened again between two calls. */
function oneByOne(choices: Choices): fc.Arbitrary<Step> {
  const calls = fc.oneof(
    { weight: 40, arbitrary: choices },
    { weight: 1, arbitrary: openingChoices },
  )
  return calls.map((choice) => callsAtOnce([choice]))
}

/**
 * All at the same time, or some of them later, when others are under way or have ended. At most one
 * of them lists, because two lists may see writes of others in different orders.
 */
function atOnce(choices: Choices, lists: Choices, minLength: number = 1): fc.Arbitrary<Step> {
  const delayed = (all: Choices) => fc.record({ choice: all, delayMs: delays })
  const calls = fc.array(delayed(choices), { minLength, maxLength: 4, size: 'max' })
  const lastCalls = fc.array(delayed(lists), { maxLength: 1 })
  return fc.tuple(calls, lastCalls, fc.nat({ max: 2 })).map(([changes, reads, number]) => {
    const all = [...changes, ...reads]
    return number > 0 ? callsAtOnce(all.map(({ choice }) => choice)) : overlappingCalls(all)
  })
}

/** In this time most calls end. */
const delays = fc.nat({ max: 3 })
