import type { Pet, PetId } from './pet.ts'
import { PetError } from './pet-error.ts'
import type { PetRepository } from './pet-repository.ts'

/** Finds one pet. Rejects with `pet_not_found`. */
export type GetPet = (id: PetId) => Promise<Pet>

export function getPetFrom(pets: PetRepository): GetPet {
  return async (id) => {
    const pet = await pets.find(id)
    if (pet === undefined) throw new PetError('pet_not_found', `There is no pet ${id}.`)
    return pet
  }
}
