import type { Once } from '../once.ts'
import { draftPet, type NewPet, type Pet, type PetDraft } from '../pet.ts'
import type { PetRepository } from '../pet-repository.ts'

/** Under what an addition is remembered, so that asking again gives the same pet. */
export type CreationKey = Omit<Once, 'fingerprint'>

/**
 * Adds a pet and returns it with its id. Rejects with `pet_invalid`.
 * Two equal drafts make two pets, except under one key: then both give the same pet, for a day. The same key with
 * another draft rejects with `creation_key_reused`.
 */
export type CreatePet = (draft: PetDraft, key?: CreationKey) => Promise<Pet>

export function createPetIn(pets: PetRepository): CreatePet {
  return async (draft, key) => {
    const pet = draftPet(draft)
    return key === undefined ? pets.add(pet) : pets.add(pet, { ...key, fingerprint: fingerprintOf(pet) })
  }
}

/** Unambiguous, since neither a status nor a number has a slash in it. */
function fingerprintOf({ name, categoryId, status }: NewPet): string {
  return `${status ?? ''}/${categoryId}/${name}`
}
