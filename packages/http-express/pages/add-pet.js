// The form that adds a pet. A pet whose adding was not confirmed is added once, however often the
// button is pressed.
import { sentenceOf } from './sentences.js'

/** After these it is not known whether a pet was added. */
const UNCONFIRMED = new Set([
  'connection_failed',
  'timeout',
  'unexpected_response',
  'internal_error',
  'service_unavailable',
])
const element = (id) => document.getElementById(id)

/**
 * Makes the form work; `addPet` sends a pet under an idempotency key, `onAdded` shows what was
 * added.
 */
export function addPetForm(addPet, onAdded) {
  const form = element('add-form')
  /** The pet whose adding was not confirmed, with its key. */
  let unconfirmed
  let isBusy = false

  async function create(input) {
    const content = Object.entries(input).join()
    const idempotencyKey =
      unconfirmed?.content === content ? unconfirmed.idempotencyKey : newIdempotencyKey()
    unconfirmed = { content, idempotencyKey }
    try {
      const pet = await addPet(input, idempotencyKey)
      unconfirmed = undefined
      return pet
    } catch (error) {
      if (!UNCONFIRMED.has(error.code)) unconfirmed = undefined
      throw error
    }
  }

  async function submit() {
    element('add-error').textContent = ''
    element('add-message').textContent = 'Adding…'
    markInvalid('')
    try {
      const pet = await create(inputOf(Object.fromEntries(new FormData(form))))
      // The next pet often has the same category and status.
      element('name').value = ''
      element('name').focus()
      element('add-message').textContent = `Added with ID ${pet.id}.`
      onAdded(pet)
    } catch (error) {
      element('add-message').textContent = ''
      const again =
        unconfirmed === undefined ? '' : ' Press Add to try again; the pet is added only once.'
      element('add-error').textContent = sentenceOf(error) + again
      markInvalid(element('add-error').textContent)
    }
  }

  form.addEventListener('submit', (event) => {
    event.preventDefault()
    if (isBusy) return
    isBusy = true
    // What fails is shown, so nothing rejects.
    void submit().then(() => {
      isBusy = false
    })
  })
}

/** Every other rule is the service's. Fields that are left empty are absent. */
function inputOf({ name, categoryId, ...others }) {
  if (name.trim() === '') throw new RangeError('Name: enter the name of the pet.')
  if (!/^-?[0-9]{1,100}$/.test(categoryId.trim()))
    throw new RangeError('Category ID: enter a whole number, such as 1.')
  const given = Object.entries(others).filter(([, value]) => value !== '')
  return { name, categoryId: BigInt(categoryId), ...Object.fromEntries(given) }
}

/** `crypto.randomUUID` is missing in pages that were not loaded over HTTPS. */
function newIdempotencyKey() {
  return Array.from(crypto.getRandomValues(new Uint32Array(4)), (part) => part.toString(36)).join(
    '-',
  )
}

/** Marks the field that begins an error message, and moves the focus there. */
function markInvalid(message) {
  for (const [field, names] of [
    [element('name'), /^(?:name |Name:)/],
    [element('category'), /^(?:categoryId |Category ID:)/],
  ]) {
    const isInvalid = names.test(message)
    if (isInvalid) field.focus()
    field.setAttribute('aria-invalid', isInvalid)
  }
}
