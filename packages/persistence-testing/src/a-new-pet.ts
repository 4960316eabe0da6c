import { type NewPet, type PetInput, validateNewPet } from '@pet-store/domain'

/** A valid pet without a status; a test names only the fields that it is about. */
export function aNewPet(fields: Partial<PetInput> = {}): NewPet {
  return validateNewPet({ name: 'Rex', categoryId: 1n, ...fields })
}
