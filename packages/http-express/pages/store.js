// The page of the store: lists, filters, finds and adds pets with the typed client, and uses only
// the operations of the interface. Filter, page size and position are in the URL; the way back to
// earlier pages is in the state of the history.
import { addPetForm } from './add-pet.js'
import { createPetStoreClient, PetStoreError } from './client.js'
import { copyOnPress, curlLine } from './curl.js'
import { baseUrl, developmentKey, keyFrom } from './key.js'
import { sentenceOf, whileBusy } from './sentences.js'
import { noticeRow, petRow, setTableRoles, showOpenButtons } from './store-rows.js'

const element = (id) => document.getElementById(id)
const SHOWN_WITH_PETS = ['store', 'change-key', 'go-to-add']

let client
/** The page that is shown, as the URL has it, and the cursor of the following one. */
let shown
let nextCursor
let shownIds = new Set()
/** Pets that are shown above the page: added on this visit, or found by their ID. */
let extraRows = []
/** Aborts the request for a page when a later one overtakes it. */
let latestRequest = new AbortController()

/** Uses a key as somebody has pasted it, and shows the pets. */
async function useKey(pasted) {
  element('key-error').textContent = ''
  try {
    // A person waits, and reads at once why and until when, such as for the rate of the key.
    client = createPetStoreClient({
      baseUrl,
      apiKey: keyFrom(pasted),
      retries: 0,
      timeoutMs: 30_000,
    })
  } catch (error) {
    element('key-error').textContent = sentenceOf(error)
    element('key').focus()
    return false
  }
  extraRows = []
  return showPage(pageOfUrl(), 'key-error')
}

/** The page that the URL names; what is invalid in it has its default. */
function pageOfUrl() {
  const query = new URLSearchParams(location.search)
  const cursor = query.get('cursor') ?? ''
  const oneOf = (id, value) =>
    [...element(id).options].find((option) => option.value === value)?.value
  return {
    status: oneOf('filter', query.get('status')) ?? '',
    limit: oneOf('size', query.get('limit')) ?? '20',
    cursor,
    from: cursor === '' ? 1 : Number(/^[1-9]\d{0,14}$/.exec(query.get('from')) ?? 1),
    // The pages before this one; unknown where somebody else's link was followed.
    earlier: history.state?.earlier ?? [],
  }
}

function queryOf({ status, limit, cursor }) {
  return {
    limit: Number(limit),
    ...(status !== '' && { status }),
    ...(cursor !== '' && { cursor }),
  }
}

function searchOf({ status, limit, cursor, from }) {
  const given = { status, limit: limit === '20' ? '' : limit, cursor, from: from === 1 ? '' : from }
  return new URLSearchParams(Object.entries(given).filter(([, value]) => value !== ''))
}

/** Shows a page, or says beside `errorId` why not. Returns whether it is shown. */
async function showPage(page, errorId = 'list-message', { isNew = false } = {}) {
  clearMessages()
  latestRequest.abort()
  latestRequest = new AbortController()
  const { signal } = latestRequest
  try {
    const { pets, next } = await whileBusy(
      client.listPets(queryOf(page), { signal }),
      element('pets'),
      element('busy'),
    )
    const search = searchOf(page)
    const address = search.size === 0 ? location.pathname : `?${search}`
    history[isNew ? 'pushState' : 'replaceState']({ earlier: page.earlier }, '', address)
    shown = page
    nextCursor = next?.cursor
    extraRows = addedRows()
    show(pets)
    return true
  } catch (error) {
    if (signal.aborted) return false
    if (error.code === 'forbidden' && element('store').hidden) {
      showAddFormOnly(page)
      showError(error, 'list-message')
      return false
    }
    // The cursor of a link that was cut off or changed: the first page has the same filter.
    if (error.code === 'invalid_request' && page.cursor !== '') {
      const isShown = await showPage({ ...page, cursor: '', from: 1, earlier: [] }, errorId)
      if (isShown)
        element('list-message').textContent =
          'This link has no valid position. Here is the first page.'
      return isShown
    }
    if (shown !== undefined) showFilter()
    showError(error, errorId)
    return false
  }
}

function show(pets) {
  const { cursor, from, earlier } = shown
  element('key-form').hidden = true
  for (const id of SHOWN_WITH_PETS) element(id).hidden = false
  showFilter()
  element('rows').replaceChildren(
    ...(pets.length === 0 ? [emptyRow()] : pets.map((pet) => petRow(pet))),
  )
  shownIds = new Set(pets.map(({ id }) => id))
  showExtraRows()
  const last = from + pets.length - 1
  const more = nextCursor === undefined ? '' : '; there are more'
  element('position').textContent = pets.length === 0 ? '' : `Rows ${from}–${last}${more}`
  const focused = document.activeElement
  element('first').disabled = cursor === ''
  element('previous').disabled = earlier.length === 0
  element('next').disabled = nextCursor === undefined
  // A button that is disabled loses the focus.
  if (focused?.disabled) element(nextCursor === undefined ? 'previous' : 'next').focus()
}

/** A key that may not list may add. */
function showAddFormOnly(page) {
  shown = page
  nextCursor = undefined
  show([])
  element('rows').replaceChildren()
  element('name').focus()
}

/**
 * The filter and the page size of the pets that are shown, even where others were chosen and cannot
 * be loaded.
 */
function showFilter() {
  element('filter').value = shown.status
  element('size').value = shown.limit
}

/** A pet that was found is shown until something else is requested; those that were added stay. */
function addedRows() {
  return extraRows.filter(({ note }) => note === 'new')
}

/**
 * Pets that were found stand above the page, and so do those that were added, unless it has them.
 */
function showExtraRows() {
  const rows = extraRows
    .filter(({ pet, note }) => note === 'found' || !shownIds.has(pet.id))
    .map(({ pet, note }) => {
      const row = petRow(pet, note)
      row.className = 'added'
      return row
    })
  element('shown').replaceChildren(...rows)
  setTableRoles(document.querySelector('table'))
  showOpenButtons()
}

function emptyRow() {
  const { status } = shown
  const text = document.createElement('p')
  text.textContent = `There are no ${status === '' ? '' : `${status} `}pets yet.`
  const button = document.createElement('button')
  button.type = 'button'
  button.textContent = 'Add the first pet'
  button.addEventListener('click', () => element('name').focus())
  return noticeRow(text, button)
}

/**
 * A key that is rejected is asked for again; the pets of an earlier key are not shown with it.
 * While no pets are shown yet, the form of the key is the way to try again.
 */
function showError(error, errorId) {
  const isRejected = error instanceof PetStoreError && error.code === 'unauthorized'
  const needsForm = isRejected || element('store').hidden
  if (needsForm) askForKey()
  element(needsForm ? 'key-error' : errorId).textContent = sentenceOf(error)
}

function askForKey() {
  for (const id of SHOWN_WITH_PETS) element(id).hidden = true
  element('key-form').hidden = false
  element('key').focus()
}

function clearMessages() {
  for (const id of ['list-message', 'page-message', 'find-message', 'key-error', 'add-message']) {
    element(id).textContent = ''
  }
}

function firstPage() {
  return {
    status: element('filter').value,
    limit: element('size').value,
    cursor: '',
    from: 1,
    earlier: [],
  }
}

async function find() {
  const text = element('find-id').value.trim()
  clearMessages()
  extraRows = addedRows()
  showExtraRows()
  if (!/^-?[0-9]{1,100}$/.test(text)) {
    element('find-message').textContent = 'Enter the ID of a pet: a whole number, such as 1.'
    element('find-id').focus()
    return
  }
  try {
    const pet = await whileBusy(client.getPet(BigInt(text)), element('pets'), element('busy'))
    extraRows = [{ pet, note: 'found' }, ...addedRows()]
    showExtraRows()
  } catch (error) {
    showError(error, 'find-message')
  }
}

function onSubmit(id, handle) {
  element(id).addEventListener('submit', (event) => {
    event.preventDefault()
    void handle()
  })
}

function onPress(id, pageOf) {
  element(id).addEventListener('click', () => {
    void showPage(pageOf(), 'page-message', { isNew: true }).then((isShown) => {
      if (isShown) element('pets').scrollIntoView()
    })
  })
}

onSubmit('key-form', async () => {
  if (await useKey(element('key').value)) element('filter').focus()
})
onSubmit('find', find)
for (const id of ['filter', 'size']) {
  element(id).addEventListener(
    'change',
    () => void showPage(firstPage(), 'list-message', { isNew: true }),
  )
}
onPress('first', firstPage)
onPress('previous', () => ({
  ...shown,
  ...shown.earlier.at(-1),
  earlier: shown.earlier.slice(0, -1),
}))
onPress('next', () => {
  const { cursor, from, limit, earlier } = shown
  return {
    ...shown,
    cursor: nextCursor,
    from: from + Number(limit),
    earlier: [...earlier, { cursor, from }],
  }
})
copyOnPress(element('copy-list'), () => {
  const query = new URLSearchParams(Object.entries(queryOf(shown)))
  return curlLine(`/pets?${query}`)
})
element('change-key').addEventListener('click', askForKey)
element('go-to-add').addEventListener('click', () => element('name').focus())
addEventListener('resize', showOpenButtons)
addEventListener('popstate', () => {
  if (client !== undefined) void showPage(pageOfUrl())
})
addPetForm(
  (input, idempotencyKey) => client.createPet(input, { idempotencyKey }),
  (pet) => {
    extraRows = [{ pet, note: 'new' }, ...addedRows()].slice(0, 10)
    element('rows').querySelector('.empty')?.parentElement.remove()
    showExtraRows()
  },
)
if (developmentKey === undefined) askForKey()
else {
  element('key').value = developmentKey
  await useKey(developmentKey)
}
