import type { Pet, PetInput } from '@pet-store/domain'

/** How one field of a pet is written in files. */
interface FieldFormat {
  readonly isInteger: boolean
  /** Whether every pet has it. */
  readonly isRequired: boolean
}

/** Every field of a pet, in the order in which files have them. A field that is missing here does not compile. */
const FORMATS = {
  id: { isInteger: true, isRequired: false },
  name: { isInteger: false, isRequired: true },
  categoryId: { isInteger: true, isRequired: true },
  status: { isInteger: false, isRequired: false },
} satisfies Record<keyof Pet, FieldFormat>

/** One field with its name. */
export interface PetField extends FieldFormat {
  readonly name: keyof Pet
}

export const PET_FIELDS: readonly PetField[] = Object.entries(FORMATS).map(([name, format]) => ({
  ...format,
  name: name as keyof Pet,
}))

/** What an import takes of a file. An `id` is allowed and ignored: new pets get new ids. */
export const NEW_PET_FIELDS = PET_FIELDS.filter(({ name }) => name !== 'id') as readonly (PetField & {
  readonly name: keyof PetInput
})[]
