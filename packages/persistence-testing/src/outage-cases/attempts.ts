import assert from 'node:assert/strict'
import type { Cancellation, NewPet, Pet, PetRepository } from '@pet-store/domain'
import type { Persistence } from '@pet-store/persistence'
import { CALL_LIMIT_MS, UNAVAILABLE } from '../adapter/outage.ts'
import { untilAvailable } from '../adapter/until-available.ts'
import { expectPromise } from '../case/expect-promise.ts'
import { expectEqual, expectRejection } from '../case/expectations.ts'
import { inGroups } from '../case/in-groups.ts'
import { endWithin } from '../case/time-limit.ts'
import { aMomentLater, aTurnLater, wait } from '../case/wait.ts'
import { anIdempotencyKey } from '../test-data/new-idempotency-keys.ts'
import { aNewPet } from '../test-data/new-pets.ts'
import { samePetsByName } from '../test-data/stored-pets.ts'

/** The time after an add that was rejected. */
const PAUSE_MS = 20

/** What an add said: the pet that is stored, or what is known about one that may not be. */
export interface Attempt {
  readonly name: string
  readonly isKeyed: boolean
  readonly pet?: Pet
  readonly outcome?: string
}

/**
 * Adds a pet, with its name as an idempotency key if it gets one: no other add has had that name. A
 * rejection must be the one of an unavailable database.
 */
export async function attempt(
  pets: PetRepository,
  name: string,
  isKeyed: boolean,
  cancellation?: Cancellation,
): Promise<Attempt> {
  try {
    if (!isKeyed) {
      const add = () => pets.add(aSoldPet(name), cancellation)
      return { name, isKeyed, pet: await expectPromise('add', add) }
    }
    const addKeyed = () => addWithName(pets, name, cancellation)
    const { pet, isReplay } = await expectPromise('addWithKey', addKeyed)
    // True if the adapter has repeated it, because it did not know whether it was stored.
    expectEqual(isReplay, false, `isReplay of the first add with the key ${name}`)
    return { name, isKeyed, pet }
  } catch (error) {
    if (error instanceof assert.AssertionError) throw error
    await expectRejection(
      () => Promise.reject(error),
      `the add of the pet ${name} must resolve, or reject as unavailable`,
      UNAVAILABLE,
    )
    const { outcome } = error as { outcome?: string }
    assert.ok(
      outcome === 'not_stored' || outcome === 'unknown',
      `the error of an add must have the outcome not_stored or unknown, got ${outcome}`,
    )
    return { name, isKeyed, outcome }
  }
}

/** With a status: its list must have the pet too. */
function aSoldPet(name: string): NewPet {
  return aNewPet({ name, status: 'sold' })
}

function addWithName(
  pets: PetRepository,
  name: string,
  cancellation?: Cancellation,
): ReturnType<PetRepository['addWithKey']> {
  const key = anIdempotencyKey({ key: name, fingerprint: name })
  return pets.addWithKey(aSoldPet(name), key, cancellation)
}

/**
 * Every add that resolved is stored, none that said `not_stored` is, not even later, and each
 * idempotency key has one pet.
 */
export async function expectStoredAsSaid(
  pets: PetRepository,
  attempts: readonly Attempt[],
  laterMs?: number,
): Promise<void> {
  await untilAvailable(() => pets.list({ limit: 1 }))
  await aMomentLater(laterMs)
  // A connection that the outage has broken may be found only now.
  const stored = await untilAvailable(() => samePetsByName(pets))
  for (const { name, pet, outcome } of attempts) {
    if (pet !== undefined)
      expectEqual(
        stored.get(name),
        pet,
        `the pet ${name} must be stored, because its add has resolved`,
      )
    if (outcome === 'not_stored')
      expectEqual(
        stored.get(name),
        undefined,
        `the pet ${name} must not be stored, because its add said not_stored`,
      )
  }
  const keyed = attempts.filter(({ isKeyed }) => isKeyed)
  await inGroups(keyed.length, async (index) => {
    const { name, pet } = keyed[index] as Attempt
    const repeat = await untilAvailable(() => addWithName(pets, name))
    const expected = pet ?? stored.get(name)
    if (expected !== undefined)
      expectEqual(
        repeat,
        { pet: expected, isReplay: true },
        `a repeat with the key ${name} must return its pet`,
      )
  })
}

const MOST_ADDS = 50

/**
 * Tries one add after the other: so many that the last ones are under way when a database stops,
 * but not as many as an adapter makes that never waits.
 */
export async function writeUntil(
  hasEnded: { readonly value: boolean },
  attemptOne: (count: number) => Promise<Attempt>,
): Promise<readonly Attempt[]> {
  const attempts: Attempt[] = []
  while (!hasEnded.value && attempts.length < MOST_ADDS) {
    const last = await attemptOne(attempts.length)
    attempts.push(last)
    // What is rejected at once is not tried a thousand times, and an adapter that never waits lets
    // the interruption come.
    if (last.pet === undefined) await wait(PAUSE_MS)
    else await aTurnLater()
  }
  return attempts
}

/** Adds pets, each of which must be rejected in time. */
export async function attemptAll(
  { pets }: Persistence,
  label: string,
  scale: number,
): Promise<Attempt[]> {
  const attempts = await Promise.all(
    [1, 2, 3, 4].map((count) =>
      endWithin(
        CALL_LIMIT_MS * scale,
        () => attempt(pets, `${label}-${count}`, count > 2),
        count > 2 ? 'pets.addWithKey' : 'pets.add',
      ),
    ),
  )
  for (const { name, pet } of attempts)
    expectEqual(pet, undefined, `the add of the pet ${name} must reject`)
  return attempts
}

/** What it says of the pet is looked at too. */
export function isAdd(name: string): boolean {
  return name.startsWith('pets.add')
}
