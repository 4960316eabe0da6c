import type { Pet } from '@pet-store/client'
import { closeDialogOn } from '../browser/close-dialog.ts'
import { copyOnPress } from '../browser/copy.ts'
import { curlLine } from '../browser/curl.ts'
import { byId, make } from '../browser/elements.ts'
import { escapeDirections } from '../browser/exact-json.ts'
import { showCode } from '../browser/highlight.ts'
import { showMessage } from '../browser/show-message.ts'
import { FIELD_TITLES } from '../fields/pet-fields.ts'
import { contentOf, FIELDS } from './field-content.ts'
import { codeOf, sentenceOf } from './sentences.ts'
import { whileBusy } from './while-busy.ts'

const DRAWER = byId('pet-drawer', HTMLDialogElement)
const CONTENT = byId('pet')
const MESSAGE = byId('pet-message')
/** The id of the pet that is shown or loaded. */
let current: string | undefined

/** Makes the drawer work that shows a pet. `onClose` is called each time it was closed. */
export function setUpPetDrawer(onClose: () => void): void {
  closeDialogOn(DRAWER, byId('close-pet'))
  DRAWER.addEventListener('close', () => {
    // The event comes later: going back and forward at once has opened the drawer again.
    if (!DRAWER.open) onClose()
  })
  copyOnPress(byId('copy-pet-json', HTMLButtonElement), () => byId('pet-json').textContent ?? '')
  copyOnPress(byId('copy-pet-curl', HTMLButtonElement), () => byId('pet-curl').textContent ?? '')
}

export function closePet(): void {
  if (DRAWER.open) DRAWER.close()
}

/** Shows the pet with this id: `known`, or else the pet that `load` resolves to. */
export async function openPet(
  id: string,
  known: Pet | undefined,
  load: () => Promise<Pet>,
): Promise<void> {
  current = id
  byId('pet-title').textContent = `Pet ${id}`
  CONTENT.hidden = true
  showMessage(MESSAGE, '')
  if (!DRAWER.open) DRAWER.showModal()
  try {
    const pet = known ?? (await whileBusy(load(), DRAWER, byId('pet-busy')))
    if (current === id) showPet(pet)
  } catch (error) {
    if (current !== id) return
    const retry = () => void openPet(id, known, load)
    showMessage(MESSAGE, sentenceOf(error), codeOf(error) === 'not_found' ? undefined : retry)
  }
}

function showPet(pet: Pet): void {
  const fields = FIELDS.flatMap((field) => [
    make('dt', {}, FIELD_TITLES[field]),
    make('dd', { className: field }, contentOf(field, pet)),
  ])
  byId('pet-fields').replaceChildren(...fields)
  showCode(byId('pet-json'), escapeDirections(jsonOf(pet)))
  showCode(byId('pet-curl'), curlLine(`/pets/${pet.id}`))
  CONTENT.hidden = false
}

/** The pet as JSON, as the service has sent it, but on several lines. */
function jsonOf(pet: Pet): string {
  const lines = FIELDS.filter((field) => pet[field] !== undefined).map((field) => {
    const value = pet[field]
    return `  "${field}": ${typeof value === 'bigint' ? value : JSON.stringify(value)}`
  })
  return `{\n${lines.join(',\n')}\n}`
}
