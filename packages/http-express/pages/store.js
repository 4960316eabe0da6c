// The first page: lists, filters and adds pets with the typed client, and uses only the operations of the interface.
import { createPetStoreClient, PetStoreError } from './client.js'

const PAGE_SIZE = 20
/** After these it is not known whether a pet was added. */
const UNCONFIRMED = new Set([
  'connection_failed',
  'timeout',
  'unexpected_response',
  'internal_error',
  'service_unavailable',
])
const element = (id) => document.getElementById(id)

// Where no public address is configured, only the browser knows the address of the service.
const address = element('address')
const baseUrl = new URL('v1', location.href).href
if (!URL.canParse(address.textContent)) address.textContent = baseUrl

let client
/** The page that is shown, and the following one, while there is one. */
let shownQuery
let nextQuery
/** The pet that was added last. */
let addedId
/** The pet whose adding was not confirmed, and its key: adding it again must not add it twice. */
let unconfirmed
/** Counts the requests, so that a response that was overtaken by a later request is not shown. */
let latestRequest = 0

function useKey(apiKey) {
  // A person waits: fewer retries than a program would make.
  client = createPetStoreClient({ baseUrl, apiKey, retries: 1, timeoutMs: 10_000 })
  return showPage(firstQuery())
}

function firstQuery() {
  const status = element('filter').value
  return { limit: PAGE_SIZE, ...(status !== '' && { status }) }
}

async function showPage(query) {
  latestRequest += 1
  const request = latestRequest
  try {
    const page = await client.listPets(query)
    if (request !== latestRequest) return
    showRows(page.pets)
    shownQuery = query
    nextQuery = page.next
    element('heading').hidden = page.pets.length === 0
    element('pager').hidden = nextQuery === undefined && query.cursor === undefined
    element('next').disabled = nextQuery === undefined
    element('first').disabled = query.cursor === undefined
    element('count').textContent = countText(page.pets.length, query)
    show('pets', 'add-form')
    hide('key-form', 'message')
  } catch (error) {
    if (request === latestRequest) showError(error)
  }
}

function countText(count, { status, cursor }) {
  const kind = status === undefined ? '' : `${status} `
  if (count === 0) return cursor === undefined ? `There are no ${kind}pets yet.` : `There are no more ${kind}pets.`
  const pets = `${count} ${kind}pet${count === 1 ? '' : 's'}`
  return nextQuery === undefined ? pets : `${pets} on this page; there are more.`
}

function showRows(pets) {
  element('rows').replaceChildren(
    ...pets.map(({ id, name, categoryId, status }) => {
      const row = document.createElement('tr')
      row.classList.toggle('added', id === addedId)
      // IDs are bigints, so every digit is shown.
      row.append(
        cell('ID', `${id}`),
        cell('Name', name),
        cell('Category', `${categoryId}`),
        cell('Status', status ?? ''),
      )
      return row
    }),
  )
  setRoles()
}

/** A phone shows rows as cards, and a browser forgets then that this is a table. */
function setRoles() {
  const roles = { table: 'table', 'thead, tbody': 'rowgroup', tr: 'row', th: 'columnheader', td: 'cell' }
  for (const [selector, role] of Object.entries(roles)) {
    for (const part of document.querySelectorAll(selector)) part.role = role
  }
}

function cell(label, text) {
  const data = document.createElement('td')
  data.dataset.label = label
  data.textContent = text
  return data
}

/** A key that is rejected is asked for again; the pets of an earlier key are not shown with it. */
function showError(error) {
  if (error instanceof PetStoreError && error.code === 'unauthorized') {
    hide('pets', 'add-form')
    show('key-form')
    element('key').focus()
  }
  const message = element('message')
  message.textContent = sentenceOf(error)
  message.hidden = false
}

function sentenceOf(error) {
  if (!(error instanceof PetStoreError)) return `The page failed: ${error.message}`
  if (error.code === 'connection_failed') return 'The service cannot be reached.'
  return error.code === 'timeout' ? 'The service did not respond in time.' : error.message
}

async function add(form) {
  const message = element('add-message')
  message.className = ''
  markInvalid('')
  try {
    const pet = await createPet(inputOf(Object.fromEntries(new FormData(form))))
    // The next pet often has the same category and status.
    element('name').value = ''
    element('name').focus()
    addedId = pet.id
    await showPage(shownQuery)
    message.textContent = `Added ${shortened(pet.name)} with ID ${pet.id}.${whereIs(pet)}`
  } catch (error) {
    message.className = 'error'
    message.textContent = error instanceof RangeError ? error.message : sentenceOf(error)
    if (unconfirmed !== undefined) message.textContent += ' Press Add to try again; the pet is added only once.'
    markInvalid(message.textContent)
  }
}

/** Every other rule is the service's. */
function inputOf({ name, categoryId, status }) {
  if (name.trim() === '') throw new RangeError('Name: enter the name of the pet.')
  if (!/^-?[0-9]{1,100}$/.test(categoryId.trim())) throw new RangeError('Category ID: enter a whole number, such as 1.')
  return { name, categoryId: BigInt(categoryId), ...(status !== '' && { status }) }
}

async function createPet(pet) {
  const content = `${pet.categoryId} ${pet.status} ${pet.name}`
  const idempotencyKey = unconfirmed?.content === content ? unconfirmed.idempotencyKey : newIdempotencyKey()
  unconfirmed = { content, idempotencyKey }
  try {
    const created = await client.createPet(pet, { idempotencyKey })
    unconfirmed = undefined
    return created
  } catch (error) {
    if (!UNCONFIRMED.has(error.code)) unconfirmed = undefined
    throw error
  }
}

/** `crypto.randomUUID` is missing in pages that were not loaded over HTTPS. */
function newIdempotencyKey() {
  return Array.from(crypto.getRandomValues(new Uint32Array(4)), (part) => part.toString(36)).join('-')
}

function shortened(name) {
  const characters = Array.from(name)
  return characters.length <= 60 ? name : `${characters.slice(0, 60).join('')}…`
}

/** Pets are listed by ascending ID, so a new one is at the end of the last page. */
function whereIs({ status }) {
  if (element('rows').querySelector('.added') !== null) return ''
  const { status: shownStatus } = shownQuery
  return shownStatus === undefined || shownStatus === status ? ' It is on the last page.' : ' The filter hides it.'
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

function show(...ids) {
  for (const id of ids) element(id).hidden = false
}

function hide(...ids) {
  for (const id of ids) element(id).hidden = true
}

/** Handles a form without leaving the page; a second press while the first is handled does nothing. */
function onSubmit(id, handle) {
  const form = element(id)
  let isBusy = false
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    if (isBusy) return
    isBusy = true
    // What fails is shown, so nothing rejects.
    void handle(form).then(() => {
      isBusy = false
    })
  })
}

onSubmit('key-form', () => useKey(element('key').value.trim()))
onSubmit('add-form', add)
element('filter').addEventListener('change', () => void showPage(firstQuery()))
element('first').addEventListener('click', () => void showPage(firstQuery()))
element('next').addEventListener('click', () => {
  if (nextQuery !== undefined) void showPage(nextQuery)
})

const developmentKey = document.body.dataset.developmentKey
if (developmentKey !== '') await useKey(developmentKey)
