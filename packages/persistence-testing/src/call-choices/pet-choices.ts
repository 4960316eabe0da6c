import { PET_STATUSES, type PetId, type PetQuery } from '@pet-store/domain'
import fc from 'fast-check'
import { inGroups } from '../case/in-groups.ts'
import { type Model, nthOf, sortedPets } from '../model/model.ts'
import {
  type Choice,
  type Choices,
  callText,
  expectValue,
  type ModelCall,
  resultOf,
} from '../model/model-call.ts'
import type { OpenDatabase } from '../model/open-database.ts'
import { addChoices, addChoicesAtOnce, freshAddChoicesAtOnce } from './add-choices.ts'
import { int64 } from './numbers.ts'
import { openingOf, openings } from './openings.ts'
import { someOf } from './some-of.ts'

/** Refers to a pet that exists or was deleted, to an id near it, or to any other id. */
interface Reference {
  /** It is not if this is 0. */
  readonly isKnown: number
  readonly number: number
  readonly distance: bigint
  readonly other: bigint
}

export const references: fc.Arbitrary<Reference> = fc.record({
  isKnown: fc.nat({ max: 3 }),
  number: fc.nat({ max: 1_000 }),
  distance: fc.constantFrom(0n, 0n, 0n, 0n, 0n, 1n, -1n, 2n ** 32n, 2n ** 53n),
  other: int64,
})

export function idFrom(model: Model, { isKnown, number, distance, other }: Reference): PetId {
  const known = nthOf(model.usedIds, number)
  return isKnown > 0 && known !== undefined ? known + distance : other
}

/** A call that finds a pet through an opening. */
export const findCall =
  (number: number, idOf: (model: Model) => PetId): Choice =>
  (before, database) => {
    const opening = openingOf(database, number)
    const id = idOf(before)
    const text = callText(`pets${opening}.find`, id)
    return {
      text,
      run: async () => database.openings[opening]?.pets.find(id),
      apply: (model, outcome) => expectValue(outcome, model.pets.get(id), text),
    }
  }

const find: Choices = fc
  .tuple(openings, references)
  .map(([number, reference]) => findCall(number, (model) => idFrom(model, reference)))

export const list: Choices = fc
  .record({
    number: openings,
    status: fc.option(fc.constantFrom(...PET_STATUSES), { nil: undefined }),
    reference: fc.option(references, { nil: undefined }),
    limit: fc.constantFrom(1, 2, 3, 5, 21, 101, 5_000),
  })
  .map(
    ({ number, status, reference, limit }): Choice =>
      (before, database) => {
        const after = reference && idFrom(before, reference)
        return listPets(database, number, { status, after, limit })
      },
  )

export function listPets(database: OpenDatabase, number: number, query: PetQuery): ModelCall {
  const opening = openingOf(database, number)
  const text = callText(`pets${opening}.list`, query)
  const { status, after, limit } = query
  return {
    text,
    run: async () => database.openings[opening]?.pets.list(query),
    apply(model, outcome) {
      const expected = sortedPets(model)
        .filter((pet) => status === undefined || pet.status === status)
        .filter(({ id }) => after === undefined || id > after)
      expectValue(outcome, expected.slice(0, limit), text)
    },
  }
}

/** Finds pets one by one, of very many some. */
const findEach =
  (number: number): Choice =>
  (before, database) => {
    const opening = openingOf(database, number)
    const some = someOf(before.usedIds)
    const text = callText(`pets${opening}.find`, ...some)
    return {
      text,
      run: () =>
        inGroups(some.length, async (index) =>
          database.openings[opening]?.pets.find(some[index] as PetId),
        ),
      apply: (model, outcome) =>
        expectValue(
          outcome,
          some.map((id) => model.pets.get(id)),
          text,
        ),
    }
  }

/** Reads every pet, through each opening. */
export const lastPetChoices: readonly Choice[] = [0, 1].flatMap((number) => [
  ...[undefined, ...PET_STATUSES].map(
    (status): Choice =>
      (_, database) =>
        listPets(database, number, { status, limit: 100_000 }),
  ),
  findEach(number),
])

/** Deletes a pet as an operator does. */
const deletePet: Choices = fc.nat().map(
  (number): Choice =>
    (before, { harness, url }) => {
      const id = nthOf(before.pets.keys(), number)
      const text = callText('deletePet', id)
      return {
        text,
        run: async () => (id === undefined ? undefined : harness.deletePet?.(url, id)),
        apply(model, outcome) {
          resultOf(outcome, text)
          if (id !== undefined && harness.deletePet !== undefined) model.pets.delete(id)
        },
      }
    },
)

const withFinds = (adds: Choices): Choices =>
  fc.oneof({ weight: 10, arbitrary: adds }, { weight: 3, arbitrary: find })

/** Calls on pets that may be made at the same time; not `list`, see there. */
export const petChoicesAtOnce: Choices = withFinds(addChoicesAtOnce)

/** The same with more idempotency keys. */
export const freshPetChoicesAtOnce: Choices = withFinds(freshAddChoicesAtOnce)

/** Every call on pets. */
export const petChoices: Choices = fc.oneof(
  { weight: 12, arbitrary: withFinds(addChoices) },
  { weight: 4, arbitrary: list },
  { weight: 1, arbitrary: deletePet },
)
