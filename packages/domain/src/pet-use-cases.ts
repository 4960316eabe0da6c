import { type CreatePet, createPetIn } from './create-pet.ts'
import { type ListPets, listPetsOf } from './list-pets.ts'
import type { Pet, PetId } from './pet.ts'
import { PetError } from './pet-error.ts'
import type { PetRepository } from './pet-repository.ts'

/** Everything that can be done with pets. */
export interface PetUseCases {
  readonly createPet: CreatePet
  readonly getPet: GetPet
  readonly listPets: ListPets
}

/** The operations over one repository. */
export function createPetUseCases(pets: PetRepository): PetUseCases {
  return { createPet: createPetIn(pets), getPet: getPetFrom(pets), listPets: listPetsOf(pets) }
}

/** Finds one pet. Rejects with `pet_not_found`. */
export type GetPet = (id: PetId) => Promise<Pet>

function getPetFrom(pets: PetRepository): GetPet {
  return async (id) => {
    const pet = await pets.find(id)
    if (pet === undefined) throw new PetError('pet_not_found', `There is no pet ${id}.`)
    return pet
  }
}
