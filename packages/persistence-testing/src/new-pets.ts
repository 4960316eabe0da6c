import assert from 'node:assert/strict'
import {
  type NewPet,
  PET_STATUSES,
  type Pet,
  type PetId,
  type PetInput,
  type PetRepository,
  type PetStatus,
  validateNewPet,
} from '@pet-store/domain'
import { expectEqual } from './case/expectations.ts'
import { inGroups } from './case/in-groups.ts'
import { after } from './new-api-keys.ts'

/** A valid pet without a status; a test names only the fields that it is about. */
export function aNewPet(fields: Partial<PetInput> = {}): NewPet {
  return validateNewPet({ name: 'Rex', categoryId: 1n, ...fields })
}

/**
 * A pet whose field throws when it is read. Every adapter must read what it stores, so this add
 * must be rejected.
 */
export function anUnreadablePet(field: keyof PetInput): NewPet {
  return Object.defineProperty({ ...aNewPet({ status: 'sold' }) }, field, {
    enumerable: true,
    get() {
      throw new Error(`${field} cannot be read`)
    },
  })
}

/** What was said not to be stored is looked for again after this time: it may wait in a queue. */
export function aMomentLater(durationMs = 500): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, durationMs))
}

/** More than most cases add. */
export const MORE_THAN_ENOUGH = 1000

/** Next to the powers of two, and to the page sizes that the service has. */
export const LIMITS: readonly number[] = [
  ...Array.from({ length: 11 }, (_, power) => 2 ** power).flatMap((limit) => [limit, limit + 1]),
  ...[7, 15, 31, 63, 99, 100, 101, 127, 255, 511, 999, 1000, 1001, 1002, 1003, 2000],
]

/** More than any database has pets. */
export const GREAT_LIMITS: readonly number[] = [
  ...[2 ** 31 - 1, 2 ** 31, 2 ** 32, 2 ** 32 + 1],
  Number.MAX_SAFE_INTEGER,
]

export function listAll(pets: PetRepository): Promise<readonly Pet[]> {
  return pets.list({ limit: MORE_THAN_ENOUGH })
}

/** Every pet, or every one with a status, by its name; each name must be stored once. */
export async function petsByName(
  pets: PetRepository,
  status?: PetStatus,
): Promise<ReadonlyMap<string, Pet>> {
  const stored = new Map<string, Pet>()
  for (let after: PetId | undefined; ; ) {
    const page = await pets.list({ status, after, limit: MORE_THAN_ENOUGH })
    for (const pet of page) {
      assert.ok(!stored.has(pet.name), `the pet ${pet.name} must be stored once`)
      stored.set(pet.name, pet)
    }
    after = page.at(-1)?.id
    if (after === undefined) return stored
  }
}

/**
 * Every pet by its name. Expects `find`, and `list` with each status, to return the same pets: an
 * interrupted add stores a pet for all of them, or for none.
 */
export async function samePetsByName(pets: PetRepository): Promise<ReadonlyMap<string, Pet>> {
  const stored = await petsByName(pets)
  const all = [...stored.values()]
  for (const status of PET_STATUSES) {
    const listed = [...(await petsByName(pets, status)).values()]
    const expected = all.filter((pet) => pet.status === status)
    expectEqual(listed, expected, `the pets that are ${status}, as they are in the list of all`)
  }
  const found = await inGroups(all.length, (index) => pets.find((all[index] as Pet).id))
  expectEqual(found, all, 'each pet by its id')
  return stored
}

/** Adds a number of pets one after the other. */
export async function addPets(pets: PetRepository, count: number): Promise<readonly Pet[]> {
  const added: Pet[] = []
  for (let number = 1; number <= count; number += 1)
    added.push(await pets.add(aNewPet({ name: `Pet ${number}` })))
  return added
}

/** Adds a pet of each status and one without: what `outdatedDatabase` of a harness contains. */
export async function addPetOfEachStatus(pets: PetRepository): Promise<readonly Pet[]> {
  const added: Pet[] = []
  for (const status of [undefined, ...PET_STATUSES]) added.push(await pets.add(aNewPet({ status })))
  return added
}

let keyedPets = 0

/** Adds a pet under an idempotency key that no other call has. */
export async function addKeyed(pets: PetRepository, pet: NewPet): Promise<Pet> {
  keyedPets += 1
  const key = { owner: 'shop', key: `pet ${keyedPets}`, fingerprint: pet.name, at: after(0) }
  return (await pets.addWithKey(pet, key)).pet
}

/** Adds many pets, and returns them by ascending id. */
export async function addManyPets(
  pets: PetRepository,
  count: number,
  fieldsOf: (index: number) => Partial<PetInput> = (index) => ({ name: `Pet ${index + 1}` }),
): Promise<readonly Pet[]> {
  const added = await inGroups(count, (index) => pets.add(aNewPet(fieldsOf(index))))
  return added.toSorted((one, other) => (one.id < other.id ? -1 : 1))
}

export function idsOf(pets: readonly Pet[]): readonly PetId[] {
  return pets.map((pet) => pet.id)
}

/** The default order of arrays compares text, so 10 would come before 9. */
export function ascending(ids: readonly PetId[]): readonly PetId[] {
  return ids.toSorted((one, other) => (one < other ? -1 : one > other ? 1 : 0))
}

export function withoutId({ id: _, ...pet }: Pet): NewPet {
  return pet as NewPet
}
