import type { Pet, PetId, PetRepository } from '@pet-store/domain'
import { aNewPet } from '../a-new-pet.ts'

/** More than any case adds. */
export const MORE_THAN_ENOUGH = 1000

export function listAll(pets: PetRepository): Promise<readonly Pet[]> {
  return pets.list({ limit: MORE_THAN_ENOUGH })
}

/** Adds so many pets one after the other. */
export async function addPets(pets: PetRepository, count: number): Promise<readonly Pet[]> {
  const added: Pet[] = []
  for (let number = 1; number <= count; number += 1) added.push(await pets.add(aNewPet({ name: `Pet ${number}` })))
  return added
}

export function idsOf(pets: readonly Pet[]): readonly PetId[] {
  return pets.map((pet) => pet.id)
}

/** Array's own order compares text, so 10 would come before 9. */
export function ascending(ids: readonly PetId[]): readonly PetId[] {
  return ids.toSorted((one, other) => (one < other ? -1 : one > other ? 1 : 0))
}
