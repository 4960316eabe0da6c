import { draftPet, type NewPet, type PetDraft } from '@pet-store/domain'

/** A valid pet without a status; a test names only the fields that it is about. */
export function aNewPet(fields: Partial<PetDraft> = {}): NewPet {
  return draftPet({ name: 'Rex', categoryId: 1n, ...fields })
}
