import type { NewPet, Pet, PetStatus } from '@pet-store/client'
import { closeDialogOn } from '../browser/close-dialog.ts'
import { byId } from '../browser/elements.ts'
import { codeOf, sentenceOf } from './sentences.ts'

/** The codes of errors after which it is unknown whether the pet was added. */
const UNCONFIRMED: ReadonlySet<string | undefined> = new Set([
  'connection_failed',
  'timeout',
  'unexpected_response',
  'internal_error',
  'service_unavailable',
])

/** The values of the fields of the form. */
type Entered = Readonly<Record<keyof NewPet, string>>

/** How messages about each field begin, those of the page and those of the service. */
const ABOUT = {
  name: /^(?:name |Name:)/,
  categoryId: /^(?:categoryId |Category ID:)/,
  status: /^status /,
} as const satisfies Readonly<Record<keyof NewPet, RegExp>>

/**
 * Makes the drawer work that adds pets. `addPet` sends a pet with an idempotency key, and `onAdded`
 * shows the pet that was added. The drawer opens only if `canAdd` returns true. If it is unknown
 * whether a pet was added, sending the same values again adds no second pet.
 */
export function setUpAddDrawer(
  addPet: (pet: NewPet, idempotencyKey: string) => Promise<Pet>,
  onAdded: (pet: Pet) => void,
  canAdd: () => boolean,
): void {
  const drawer = byId('add-drawer', HTMLDialogElement)
  const form = byId('add-form', HTMLFormElement)
  const name = byId('add-name', HTMLInputElement)
  const message = byId('add-message')
  const errorMessage = byId('add-error')
  /** The values of a pet of which it is unknown whether it was added, with its idempotency key. */
  let unconfirmed: { readonly content: string; readonly idempotencyKey: string } | undefined
  let isBusy = false

  async function create(entered: Entered): Promise<Pet> {
    const input = newPetOf(entered)
    const content = Object.values(entered).join('\n')
    const idempotencyKey =
      unconfirmed?.content === content ? unconfirmed.idempotencyKey : newIdempotencyKey()
    unconfirmed = { content, idempotencyKey }
    try {
      const pet = await addPet(input, idempotencyKey)
      unconfirmed = undefined
      return pet
    } catch (error) {
      if (!UNCONFIRMED.has(codeOf(error))) unconfirmed = undefined
      throw error
    }
  }

  async function submit(): Promise<void> {
    errorMessage.textContent = ''
    message.textContent = 'Adding…'
    markInvalid('')
    try {
      const pet = await create(Object.fromEntries(new FormData(form)) as Entered)
      // The next pet often has the same category and status.
      name.value = ''
      name.focus()
      message.textContent = `Added with ID ${pet.id}.`
      onAdded(pet)
    } catch (error) {
      message.textContent = ''
      const again =
        unconfirmed === undefined ? '' : ' Press Add to try again; the pet is added only once.'
      errorMessage.textContent = sentenceOf(error) + again
      markInvalid(errorMessage.textContent)
    }
  }

  function open(): void {
    if (document.querySelector('dialog[open]') !== null || !canAdd()) return
    message.textContent = ''
    drawer.showModal()
    name.focus()
  }

  byId('add-pet').addEventListener('click', open)
  document.addEventListener('keydown', (event) => {
    // Compares the position of the key, because with Alt some keyboards type another letter.
    if (!event.altKey || event.ctrlKey || event.metaKey || event.code !== 'KeyN') return
    event.preventDefault()
    open()
  })
  closeDialogOn(drawer, byId('close-add'), byId('cancel-add'))
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    if (isBusy) return
    isBusy = true
    // `submit` shows its errors and never rejects.
    void submit().then(() => {
      isBusy = false
    })
  })
}

/**
 * Makes a pet of the values of the form. A status that is not set is absent. Throws a `RangeError`,
 * whose message is for people, if there is no name or the category is no integer; the service
 * checks the other rules.
 */
function newPetOf({ name, categoryId, status }: Entered): NewPet {
  if (name.trim() === '') throw new RangeError('Name: enter the name of the pet.')
  if (!/^-?[0-9]{1,100}$/.test(categoryId.trim()))
    throw new RangeError('Category ID: enter a whole number, such as 1.')
  const pet: Required<NewPet> = {
    name,
    categoryId: BigInt(categoryId),
    status: status === '' ? undefined : (status as PetStatus),
  }
  return pet
}

/**
 * Makes a new idempotency key. It begins with the time, so that new keys are close together in the
 * index of the database. `crypto.randomUUID` is not used, because it is missing in pages that were
 * not loaded over HTTPS.
 */
function newIdempotencyKey(): string {
  const parts = crypto.getRandomValues(new Uint32Array(3))
  return [Date.now(), ...parts].map((part) => part.toString(36)).join('-')
}

/** Marks the field that an error message is about, below it, and moves the focus there. */
function markInvalid(message: string): void {
  byId('add-message').before(byId('add-error'))
  for (const [field, about] of Object.entries(ABOUT)) {
    const input = byId(`add-${field}`)
    const isInvalid = about.test(message)
    input.ariaInvalid = `${isInvalid}`
    if (!isInvalid) continue
    input.after(byId('add-error'))
    input.focus()
  }
}
