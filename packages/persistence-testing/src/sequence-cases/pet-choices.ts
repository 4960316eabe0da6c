import type { IdempotencyKey, NewPet, Pet, PetId, PetQuery } from '@pet-store/domain'
import { IDEMPOTENCY_KEY_LIFETIME_MS, INT64, PET_STATUSES } from '@pet-store/domain'
import fc from 'fast-check'
import { expectEqual } from '../case/expectations.ts'
import { aNewPet } from '../new-pets.ts'
import { type Model, nthOf, sortedPets } from './model.ts'
import {
  type Choice,
  type Choices,
  callText,
  expectRejected,
  expectValue,
  type ModelCall,
  type Outcome,
  resultOf,
} from './model-call.ts'
import type { OpenDatabase } from './open-database.ts'
import { petNames, similarTexts } from './texts.ts'

const HOUR_MS = 3_600_000

/** The time of calls without one. No key is first used at that time and compared at its limit. */
const NOW_MS = Date.now()

/**
 * From 21 hours ago to 27 hours from now: no key expires by the clock, so none is deleted. Often
 * two are a lifetime apart, or a millisecond less or more.
 */
const times = fc
  .tuple(fc.integer({ min: -4, max: 4 }), fc.constantFrom(-1, 0, 0, 1))
  .map(([quarters, ms]) => new Date(NOW_MS + (3 + 6 * quarters) * HOUR_MS + ms))

const int64 = fc.oneof(
  fc.constantFrom(1n, 0n, -1n, 2n ** 53n + 1n, INT64.min, INT64.max),
  fc.bigInt({ min: INT64.min, max: INT64.max }),
)

export const newPets: fc.Arbitrary<NewPet> = fc
  .record({
    name: petNames,
    categoryId: int64,
    status: fc.option(fc.constantFrom(...PET_STATUSES), { nil: undefined }),
  })
  .map(aNewPet)

const fingerprints = fc.constantFrom('x', 'x', 'x', 'X', 'x ')

const idempotencyKeys: fc.Arbitrary<IdempotencyKey> = fc.record(
  {
    owner: similarTexts,
    key: similarTexts,
    fingerprint: fingerprints,
    at: fc.option(times, { nil: undefined }),
  },
  { noNullPrototype: true },
)

/**
 * So few that two calls at the same time often have the same one. They have no time: of calls at
 * the same time whose times are hours apart, an adapter may delete for one what is valid for
 * another.
 */
const fewIdempotencyKeys: fc.Arbitrary<IdempotencyKey> = fc.record(
  { owner: fc.constantFrom('a', 'A'), key: fc.constantFrom('a', 'A'), fingerprint: fingerprints },
  { noNullPrototype: true },
)

/** Refers to a pet that exists or was deleted, to an id near it, or to any other id. */
interface Reference {
  readonly isKnown: boolean
  readonly number: number
  readonly distance: bigint
  readonly other: bigint
}

export const references: fc.Arbitrary<Reference> = fc.record({
  isKnown: fc.boolean(),
  number: fc.nat({ max: 1_000 }),
  distance: fc.constantFrom(0n, 0n, 0n, 1n, -1n, 2n ** 32n, 2n ** 53n),
  other: int64,
})

export function idFrom(model: Model, { isKnown, number, distance, other }: Reference): PetId {
  const known = nthOf(model.usedIds, number)
  return isKnown && known !== undefined ? known + distance : other
}

export const openings: fc.Arbitrary<number> = fc.nat({ max: 1 })

/** Which of those that are open. */
export function openingOf({ openings: all }: OpenDatabase, number: number): number {
  return number % all.length
}

export const add: Choices = fc.tuple(openings, newPets).map(
  ([number, pet]): Choice =>
    (_, database) => {
      const opening = openingOf(database, number)
      const text = callText(`pets${opening}.add`, pet)
      return {
        text,
        run: async () => database.openings[opening]?.pets.add(pet),
        apply: (model, outcome) => expectAdded(model, opening, pet, resultOf(outcome, text), text),
      }
    },
)

const addCancelled: Choices = fc
  .tuple(openings, newPets, fc.option(idempotencyKeys, { nil: undefined }))
  .map(
    ([number, pet, key]): Choice =>
      (_, database) => {
        const opening = openingOf(database, number)
        const cancellation = { aborted: true }
        const text = callText(`pets${opening}.add${key ? 'WithKey' : ''}`, pet, key, cancellation)
        const pets = () => database.openings[opening]?.pets
        const run = async () =>
          key ? pets()?.addWithKey(pet, key, cancellation) : pets()?.add(pet, cancellation)
        const properties = { code: 'persistence_unavailable', outcome: 'not_stored' }
        return { text, run, apply: (_, outcome) => expectRejected(outcome, text, properties) }
      },
  )

const addWithKey = (keys: fc.Arbitrary<IdempotencyKey>): Choices =>
  fc.tuple(openings, newPets, keys).map(
    ([number, pet, key]): Choice =>
      (_, database) => {
        const opening = openingOf(database, number)
        const text = callText(`pets${opening}.addWithKey`, pet, key)
        return {
          text,
          run: async () => database.openings[opening]?.pets.addWithKey(pet, key),
          apply: (model, outcome) => applyAddWithKey(model, opening, pet, key, outcome, text),
        }
      },
  )

function applyAddWithKey(
  model: Model,
  opening: number,
  pet: NewPet,
  { owner, key, fingerprint, at = new Date(NOW_MS) }: IdempotencyKey,
  outcome: Outcome,
  text: string,
): void {
  const name = JSON.stringify([owner, key])
  const known = model.idempotencyKeys.get(name)
  const isValid =
    known !== undefined && at.getTime() - known.at.getTime() < IDEMPOTENCY_KEY_LIFETIME_MS
  const stored = isValid ? model.pets.get(known.petId) : undefined
  if (stored !== undefined) {
    if (known?.fingerprint === fingerprint)
      expectValue(outcome, { pet: stored, isReplay: true }, text)
    else expectRejected(outcome, text, { code: 'idempotency_key_reused' })
    return
  }
  const created = resultOf(outcome, text) as { readonly pet?: unknown }
  const petId = expectAdded(model, opening, pet, created?.pet, text)
  expectEqual(created, { pet: created.pet, isReplay: false }, `the result of ${text}`)
  model.idempotencyKeys.set(name, { owner, key, fingerprint, at, petId })
}

function expectAdded(
  model: Model,
  opening: number,
  pet: NewPet,
  added: unknown,
  text: string,
): PetId {
  const { id } = Object(added) as { readonly id?: unknown }
  const isNew = typeof id === 'bigint' && id > 0n && id <= INT64.max && !model.usedIds.has(id)
  const last = model.lastIdsBefore[opening] ?? 0n
  expectEqual(
    isNew && id > last,
    true,
    `whether the id ${String(id)} of ${text} is new, and greater than ${last}`,
  )
  storePet(model, { ...pet, id: id as PetId })
  if ((id as PetId) > (model.lastIds[opening] ?? 0n)) model.lastIds[opening] = id as PetId
  expectEqual(added, { ...pet, id }, `the pet of ${text}`)
  return id as PetId
}

export function storePet(model: Model, pet: Pet): void {
  model.pets.set(pet.id, pet)
  model.usedIds.add(pet.id)
}

const find: Choices = fc.tuple(openings, references).map(
  ([number, reference]): Choice =>
    (before, database) => {
      const opening = openingOf(database, number)
      const id = idFrom(before, reference)
      const text = callText(`pets${opening}.find`, id)
      return {
        text,
        run: async () => database.openings[opening]?.pets.find(id),
        apply: (model, outcome) => expectValue(outcome, model.pets.get(id), text),
      }
    },
)

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

function listPets(database: OpenDatabase, number: number, query: PetQuery): ModelCall {
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

/** Reads every pet, through each opening. */
export const lastPetChoices: readonly Choice[] = [0, 1].flatMap((number) =>
  [undefined, ...PET_STATUSES].map(
    (status): Choice =>
      (_, database) =>
        listPets(database, number, { status, limit: 100_000 }),
  ),
)

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

const singleChoices = (keys: fc.Arbitrary<IdempotencyKey>): Choices =>
  fc.oneof(
    { weight: 3, arbitrary: add },
    { weight: 6, arbitrary: addWithKey(keys) },
    { weight: 1, arbitrary: addCancelled },
    { weight: 3, arbitrary: find },
  )

/** Calls on pets that may be made at the same time; not `list`, see there. */
export const petChoicesAtOnce: Choices = singleChoices(fewIdempotencyKeys)

/** Every call on pets. */
export const petChoices: Choices = fc.oneof(
  { weight: 12, arbitrary: singleChoices(idempotencyKeys) },
  { weight: 4, arbitrary: list },
  { weight: 1, arbitrary: deletePet },
)
