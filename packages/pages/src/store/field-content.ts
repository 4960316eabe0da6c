import type { Pet } from '@pet-store/client'
import { make } from '../browser/elements.ts'
import { FIELD_TITLES } from '../fields/pet-fields.ts'

/** How a field of a pet is shown. Ids are bigints, so every digit is. */
const CONTENT: Readonly<Record<keyof Pet, (pet: Pet) => Node | string>> = {
  id: ({ id }) => `${id}`,
  // `bdi` keeps the direction of a name, and control characters in it, to itself.
  name: ({ name }) => make('bdi', { dir: 'auto' }, name),
  categoryId: ({ categoryId }) => `${categoryId}`,
  status: ({ status }) => (status === undefined ? notSet() : badge(status, status)),
}

/** The fields in the order in which they are shown. */
export const FIELDS = Object.keys(FIELD_TITLES) as readonly (keyof Pet)[]

export function contentOf(field: keyof Pet, pet: Pet): Node | string {
  return CONTENT[field](pet)
}

export function badge(text: string, kind: string): HTMLElement {
  return make('span', { className: `badge ${kind}` }, text)
}

function notSet(): HTMLElement {
  return make('span', { className: 'hint' }, 'not set')
}
