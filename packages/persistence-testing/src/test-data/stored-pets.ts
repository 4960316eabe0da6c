import assert from 'node:assert/strict'
import {
  PET_STATUSES,
  type Pet,
  type PetId,
  type PetRepository,
  type PetStatus,
} from '@pet-store/domain'
import { expectEqual } from '../case/expectations.ts'
import { inGroups } from '../case/in-groups.ts'

/** More than most cases add. */
export const MORE_THAN_ENOUGH = 1000

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

export function idsOf(pets: readonly Pet[]): readonly PetId[] {
  return pets.map((pet) => pet.id)
}

/** The default order of arrays compares text, so 10 would come before 9. */
export function ascending(ids: readonly PetId[]): readonly PetId[] {
  return ids.toSorted((one, other) => Number(one > other) - Number(one < other))
}
