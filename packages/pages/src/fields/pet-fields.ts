// The fields of a pet as people read and enter them. The compiler reports a field of the client
// that is missing here.
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
  /** The values to choose from; absent for a field that is typed. */
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
