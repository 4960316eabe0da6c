import { draftPet, type Pet, type PetDraft } from '../pet.ts'
import type { PetRepository } from '../pet-repository.ts'

/** Adds a pet and returns it with its id. Two equal drafts make two pets. Rejects with `pet_invalid`. */
export type CreatePet = (draft: PetDraft) => Promise<Pet>

export function createPetIn(pets: PetRepository): CreatePet {
  return async (draft) => pets.add(draftPet(draft))
}
