import { type CreatePet, createPetIn } from './create-pet.ts'
import { type GetPet, getPetFrom } from './get-pet.ts'
import { type ListPets, listPetsOf } from './list-pets.ts'
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
