import type { Pet } from '@pet-store/domain'
import fc from 'fast-check'
import { ifApiKeys } from '../call-choices/api-key-call.ts'
import { apiKeyChoices, apiKeyChoicesAtOnce } from '../call-choices/api-key-choices.ts'
import { keyListChoices, lastKeyChoices } from '../call-choices/api-key-reads.ts'
import { ifBulkBeside } from '../call-choices/bulk-call.ts'
import { bulkKeyChoices, lastBulkKeyChoices } from '../call-choices/bulk-key-choices.ts'
import {
  bulkPetChoices,
  bulkPetChoicesAtOnce,
  lastBulkPetChoices,
  writePetImports,
} from '../call-choices/bulk-pet-choices.ts'
import { openingChoices } from '../call-choices/opening-choices.ts'
import {
  freshPetChoicesAtOnce,
  lastPetChoices,
  list,
  petChoices,
} from '../call-choices/pet-choices.ts'
import { casesOf } from '../case/contract-case.ts'
import { memberOf } from '../harness/harness-members.ts'
import type { HarnessCase } from '../harness/persistence-harness.ts'
import { type Model, storePet } from '../model/model.ts'
import type { Choices } from '../model/model-call.ts'
import type { OpenDatabase } from '../model/open-database.ts'
import { aNewPet } from '../test-data/new-pets.ts'
import { callsAtOnce, expectAsModel, type Step } from './call-sequence.ts'
import { type OutageKind, outageStep, type StepOutage } from './outage-step.ts'

const GROUP = { group: 'persistence.sequence', timeLimitMs: 120_000 }

/** In this time all calls of a step begin, and the outage that finds some of them. */
const WITHIN_MS = 30

/** Random sequences of calls have the results that the ports state, with outages among them. */
export const outageSequenceCases: readonly HarnessCase[] = casesOf(GROUP, {
  'outages: gives random calls the results that the ports state, with outages among them': async (
    harness,
    scale,
  ) => {
    memberOf(harness, 'interrupt')
    const steps = fc.oneof(
      { weight: 4, arbitrary: calls.map((choice) => callsAtOnce([choice])) },
      { weight: 2, arbitrary: fc.array(callsBesideOthers, FEW).map(callsAtOnce) },
      { weight: 3, arbitrary: outageSteps(scale) },
    )
    await expectAsModel(harness, steps, {
      sequences: 8,
      steps: 30,
      fill: addFirstPets,
      lastSteps: [
        ...lastPetChoices,
        ...lastKeyChoices,
        ...[...lastBulkPetChoices, ...lastBulkKeyChoices].map(ifBulkBeside),
      ].map((choice) => callsAtOnce([choice])),
    })
  },
})

/** A harness need not be able to make an empty database full. */
async function addFirstPets(model: Model, { openings }: OpenDatabase): Promise<void> {
  for (let count = 0; count < FIRST_PETS; count += 1) {
    const pet = (await openings[0]?.pets.add(aNewPet())) as Pet
    storePet(model, pet)
    model.lastIds[0] = pet.id
  }
}

const FIRST_PETS = 4

const calls: Choices = fc.oneof(
  { weight: 8, arbitrary: petChoices },
  { weight: 6, arbitrary: apiKeyChoices.map(ifApiKeys) },
  { weight: 2, arbitrary: bulkPetChoices.map(ifBulkBeside) },
  { weight: 1, arbitrary: bulkKeyChoices.map(ifBulkBeside) },
  { weight: 1, arbitrary: openingChoices },
)

const callsBesideOthers: Choices = fc.oneof(
  { weight: 6, arbitrary: freshPetChoicesAtOnce },
  { weight: 4, arbitrary: apiKeyChoicesAtOnce.map(ifApiKeys) },
  { weight: 3, arbitrary: bulkPetChoicesAtOnce.map(ifBulkBeside) },
  { weight: 1, arbitrary: writePetImports.map(ifBulkBeside) },
)

/** More of them would have more orders than can be compared. */
const FEW = { minLength: 2, maxLength: 5, size: 'max' } as const

/** When calls and outages begin, in a step. */
const moments = fc.nat({ max: WITHIN_MS })

/** So short that a write that is tried again finds the database again. */
const durations: fc.Arbitrary<number> = fc.nat({ max: 40 })

/** A harness may have only some of them. */
const outages: fc.Arbitrary<StepOutage> = fc.record({
  kind: fc.constantFrom<OutageKind>('interrupt', 'interrupt', 'freeze', 'fill'),
  delayMs: moments,
  durationMs: durations,
})

const delayed = (choices: Choices) => fc.record({ choice: choices, delayMs: moments })

/** At most one list among them, because two may see writes of others in different orders. */
function outageSteps(scale: number): fc.Arbitrary<Step> {
  const changes = fc.array(delayed(callsBesideOthers), FEW)
  const lists = fc.array(delayed(fc.oneof(list, keyListChoices.map(ifApiKeys))), { maxLength: 1 })
  return fc
    .tuple(changes, lists, outages)
    .map(([all, reads, outage]) => outageStep([...all, ...reads], outage, scale))
}
