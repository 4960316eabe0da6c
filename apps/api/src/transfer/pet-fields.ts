import { PET_FIELDS as FIELDS, type Pet, type PetInput } from '@pet-store/domain'

/** How one field of a pet is written in files. */
interface PetField {
  readonly name: keyof Pet
  readonly isInteger: boolean
  /** Whether every pet has it. */
  readonly isRequired: boolean
}

/** What an import takes of a file. An `id` is allowed and ignored: new pets get new ids. */
export const NEW_PET_FIELDS = Object.entries(FIELDS).map(([name, { isInteger, isRequired }]) => ({
  name: name as keyof PetInput,
  isInteger,
  isRequired,
}))

/** Every field, in the order in which files have them. */
export const PET_FIELDS: readonly PetField[] = [{ name: 'id', isInteger: true, isRequired: false }, ...NEW_PET_FIELDS]
