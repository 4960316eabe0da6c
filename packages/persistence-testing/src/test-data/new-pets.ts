import {
  type NewPet,
  PET_STATUSES,
  type Pet,
  type PetInput,
  type PetRepository,
  validateNewPet,
} from '@pet-store/domain'
import { inGroups } from '../case/in-groups.ts'
import { anIdempotencyKey } from './new-idempotency-keys.ts'

/** A valid pet without a status; a test names only the fields that it is about. */
export function aNewPet(fields: Partial<PetInput> = {}): NewPet {
  return validateNewPet({ name: 'Rex', categoryId: 1n, ...fields })
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
  const key = anIdempotencyKey({ key: `pet ${keyedPets}`, fingerprint: pet.name })
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

export function withoutId({ id: _, ...pet }: Pet): NewPet {
  return pet as NewPet
}
