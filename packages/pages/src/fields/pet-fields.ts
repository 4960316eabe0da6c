// What a person reads of a pet and enters for one. A field that the client has and one of these
// lacks does not compile.
import type { NewPet, Pet, PetStatus } from '@pet-store/client'

/** The fields of a pet by their titles, in the order of the columns. */
export const FIELD_TITLES: Readonly<Record<keyof Pet, string>> = {
  id: 'ID',
  name: 'Name',
  categoryId: 'Category ID',
  status: 'Status',
}

export const STATUS_TITLES: Readonly<Record<PetStatus, string>> = {
  available: 'available',
  pending: 'pending',
  sold: 'sold',
}

/** How a field of a new pet is entered. */
export interface FieldInput {
  readonly label: string
  /** The kind of keyboard that a phone offers. Default: text. */
  readonly inputMode?: 'text' | 'numeric'
  readonly hint?: string
  /** What can be chosen; a field without is written. */
  readonly options?: readonly string[]
}

/** The fields of a new pet, in the order of the form. */
export const FIELD_INPUTS: Readonly<Record<keyof NewPet, FieldInput>> = {
  name: { label: 'Name' },
  categoryId: {
    label: 'Category ID',
    inputMode: 'numeric',
    hint: 'Any whole number, such as 1.',
  },
  status: { label: 'Status (optional)', options: Object.keys(STATUS_TITLES) },
}
