import type { Cancellation, IdempotencyKey, NewPet, PetId } from '@pet-store/domain'
import { IDEMPOTENCY_KEY_LIFETIME_MS, INT64, PET_STATUSES } from '@pet-store/domain'
import fc from 'fast-check'
import { expectEqual, isEqual } from '../case/expectations.ts'
import { aTurnLater } from '../case/wait.ts'
import { type Model, storePet } from '../model/model.ts'
import {
  type Choice,
  type Choices,
  callText,
  expectRejected,
  expectValue,
  type Outcome,
  resultOf,
} from '../model/model-call.ts'
import { aNewPet, withoutId } from '../test-data/new-pets.ts'
import { int64 } from './numbers.ts'
import { openingOf, openings } from './openings.ts'
import { petNames, similarTexts } from './texts.ts'

const HOUR_MS = 3_600_000

/** The time of calls without one. No key is first used at that time and compared at its limit. */
const NOW_MS = Date.now()

/**
 * Often two are a lifetime apart, or a millisecond less or more. Most are from 21 hours ago to 27
 * hours from now: no such key expires by the clock. The others are up to 69 hours ago.
 */
const times = fc
  .tuple(
    fc.oneof(
      { weight: 4, arbitrary: fc.integer({ min: -4, max: 4 }) },
      { weight: 1, arbitrary: fc.integer({ min: -12, max: -5 }) },
    ),
    fc.constantFrom(-1, 0, 0, 1),
  )
  .map(([quarters, ms]) => new Date(NOW_MS + (3 + 6 * quarters) * HOUR_MS + ms))

/** Whether a key that was first used at this time has expired by the clock. */
export const mayBeDeleted = (at: Date): boolean =>
  NOW_MS - at.getTime() >= IDEMPOTENCY_KEY_LIFETIME_MS

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

/** A call that adds a pet, with an idempotency key or without one. */
export const addCall =
  (number: number, pet: NewPet, key?: IdempotencyKey, cancelledAfterTurns?: number): Choice =>
  (_, database) => {
    const turns = cancelledAfterTurns
    const opening = openingOf(database, number)
    const options = turns === undefined ? [] : [{ cancelledAfterTurns: turns }]
    const name = `pets${opening}.add${key ? 'WithKey' : ''}`
    const text = callText(name, pet, ...(key ? [key] : []), ...options)
    const call = async (...cancellation: readonly Cancellation[]) => {
      const pets = database.openings[opening]?.pets
      return key ? pets?.addWithKey(pet, key, ...cancellation) : pets?.add(pet, ...cancellation)
    }
    return {
      text,
      run: () => (turns === undefined ? call() : cancelAfter(turns, call)),
      apply(model, outcome) {
        const isRejected = turns !== undefined && 'error' in outcome
        if (turns === 0 || (isRejected && !isReused(outcome)))
          return expectRejected(outcome, text, NOT_STORED)
        if (key) return applyAddWithKey(model, opening, pet, key, outcome, text)
        return void expectAdded(model, opening, pet, resultOf(outcome, text), text)
      },
      unknownOutcomes: ({ usedIds }, stored) =>
        stored
          .filter((one) => !usedIds.has(one.id) && isEqual(withoutId(one), pet))
          .map((one) => ({ value: key ? { pet: one, isReplay: false } : one })),
    }
  }

const addOf = (
  keys: fc.Arbitrary<IdempotencyKey | undefined>,
  cancelledAfterTurns: fc.Arbitrary<number | undefined> = fc.constant(undefined),
): Choices =>
  fc
    .tuple(openings, newPets, keys, cancelledAfterTurns)
    .map(([number, pet, key, turns]) => addCall(number, pet, key, turns))

const NOT_STORED = { code: 'persistence_unavailable', outcome: 'not_stored' }

const isReused = ({ error }: { readonly error: unknown }): boolean =>
  Object(error).code === 'idempotency_key_reused'

/** With 0 turns of the event loop it is cancelled before it is made. */
async function cancelAfter<Result>(
  turns: number,
  call: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const controller = new AbortController()
  if (turns === 0) controller.abort()
  const result = call(controller.signal)
  // It may reject before it is awaited.
  result.catch(() => {})
  for (let turn = 0; turn < turns; turn += 1) await aTurnLater()
  controller.abort()
  return result
}

const noKey = fc.constant(undefined)

export const add: Choices = addOf(noKey)

/** Often before the adapter has sent anything. */
const fewTurns = fc.oneof(fc.constant(0), fc.nat({ max: 12 }))

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
  const wasDeleted = known !== undefined && mayBeDeleted(known.at) && isNewPet(outcome)
  if (stored !== undefined && !wasDeleted) {
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

const isNewPet = (outcome: Outcome): boolean =>
  'value' in outcome && Object(outcome.value).isReplay === false

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

/** Every way to add pets, with these idempotency keys. */
const addsWith = (keys: fc.Arbitrary<IdempotencyKey>): Choices =>
  fc.oneof(
    { weight: 3, arbitrary: add },
    { weight: 6, arbitrary: addOf(keys) },
    { weight: 1, arbitrary: addOf(fc.option(keys, { nil: undefined }), fewTurns) },
  )

/** Adds that are made one after the other. */
export const addChoices: Choices = addsWith(idempotencyKeys)

/** Adds that may be made at the same time. */
export const addChoicesAtOnce: Choices = addsWith(fewIdempotencyKeys)

/** The same with more keys, so that most of them are new. */
export const freshAddChoicesAtOnce: Choices = addsWith(
  idempotencyKeys.map(({ at: _, ...key }) => key),
)
