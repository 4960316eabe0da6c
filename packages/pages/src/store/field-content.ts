import type { Pet } from '@pet-store/client'
import { make } from '../browser/elements.ts'
import { FIELD_TITLES } from '../fields/pet-fields.ts'

/** The fields in the order in which they are shown. */
export const FIELDS = Object.keys(FIELD_TITLES) as readonly (keyof Pet)[]

/** The content that shows a field of a pet. Ids are bigints, so all digits are shown. */
export function contentOf(field: keyof Pet, pet: Pet): Node | string {
  const value = pet[field]
  if (value === undefined) return notSet()
  if (field === 'status') return badge(`${value}`, `${value}`)
  // `bdi` isolates the direction of a text, so that it does not affect the text around.
  return typeof value === 'string' ? make('bdi', { dir: 'auto' }, value) : `${value}`
}

export function badge(text: string, kind: string): HTMLElement {
  return make('span', { className: `badge ${kind}` }, text)
}

function notSet(): HTMLElement {
  return make('span', { className: 'hint' }, 'not set')
}
