// The page of the store: lists, filters, finds and adds pets with the typed client, and uses only
// the operations of the interface. Filter, page size and position are in the URL; the way back to
// earlier pages is in the state of the history.
import { createPetStoreClient, type Pet, type PetStoreClient } from '@pet-store/client'
import { keyFrom } from '../browser/api-key.ts'
import { copyOnPress } from '../browser/copy.ts'
import { curlLine } from '../browser/curl.ts'
import { byId, make } from '../browser/elements.ts'
import { baseUrl, developmentKey } from '../browser/page-values.ts'
import { addPetForm } from './add-pet.ts'
import { firstPage, type ListPage, pageOfUrl, queryOf, searchOf } from './list-page.ts'
import { noticeRow, petRow, setTableRoles, showOpenButtons } from './rows.ts'
import { codeOf, sentenceOf } from './sentences.ts'
import { whileBusy } from './while-busy.ts'

interface ExtraRow {
  readonly pet: Pet
  readonly note: 'new' | 'found'
}

const SHOWN_WITH_PETS = ['store', 'change-key', 'go-to-add']
const MESSAGES = ['list-message', 'page-message', 'find-message', 'key-error', 'add-message']
const KEY = byId('key', HTMLInputElement)
const FILTER = byId('filter', HTMLSelectElement)
const SIZE = byId('size', HTMLSelectElement)
const PETS = byId('pets')
const PAGER = {
  first: byId('first', HTMLButtonElement),
  previous: byId('previous', HTMLButtonElement),
  next: byId('next', HTMLButtonElement),
}

let client: PetStoreClient = createPetStoreClient({ baseUrl })
let hasKey = false
/** The page that is shown, and the cursor of the following one. */
let shown: ListPage = pageOfUrl()
let nextCursor: string | undefined
let shownIds: ReadonlySet<bigint> = new Set()
/** Pets that are shown above the page: added on this visit, or found by their ID. */
let extraRows: readonly ExtraRow[] = []
/** Aborts the request for a page when a later one overtakes it. */
let latestRequest = new AbortController()

/** Uses a key as somebody has pasted it, and shows the pets. */
async function useKey(pasted: string): Promise<boolean> {
  byId('key-error').textContent = ''
  try {
    const apiKey = keyFrom(pasted)
    // A person waits, and reads at once why and until when, such as for the rate of the key.
    client = createPetStoreClient({ baseUrl, apiKey, retries: 0, timeoutMs: 30_000 })
    hasKey = true
  } catch (error) {
    byId('key-error').textContent = sentenceOf(error)
    KEY.focus()
    return false
  }
  extraRows = []
  return showPage(pageOfUrl(), 'key-error')
}

/** Shows a page, or says beside `errorId` why not. Resolves to whether it is shown. */
async function showPage(
  page: ListPage,
  errorId = 'list-message',
  { isNew = false } = {},
): Promise<boolean> {
  clearMessages()
  latestRequest.abort()
  latestRequest = new AbortController()
  const { signal } = latestRequest
  try {
    const listed = client.listPets(queryOf(page), { signal })
    const { pets, next } = await whileBusy(listed, PETS, byId('busy'))
    const address = searchOf(page) || location.pathname
    history[isNew ? 'pushState' : 'replaceState']({ earlier: page.earlier }, '', address)
    shown = page
    nextCursor = next?.cursor
    extraRows = addedRows()
    show(pets)
    return true
  } catch (error) {
    if (signal.aborted) return false
    if (codeOf(error) === 'forbidden' && byId('store').hidden) {
      showAddFormOnly(page)
      showError(error, 'list-message')
      return false
    }
    // The cursor of a link that was cut off or changed: the first page has the same filter.
    if (codeOf(error) === 'invalid_request' && page.cursor !== undefined) {
      const first = { ...page, cursor: undefined, from: 1, earlier: [] }
      const isShown = await showPage(first, errorId)
      if (isShown)
        byId('list-message').textContent =
          'This link has no valid position. Here is the first page.'
      return isShown
    }
    showFilter()
    showError(error, errorId)
    return false
  }
}

function show(pets: readonly Pet[]): void {
  const { cursor, from, earlier } = shown
  byId('key-form').hidden = true
  for (const id of SHOWN_WITH_PETS) byId(id).hidden = false
  showFilter()
  const rows = pets.length === 0 ? [emptyRow()] : pets.map((pet) => petRow(pet))
  byId('rows').replaceChildren(...rows)
  shownIds = new Set(pets.map(({ id }) => id))
  showExtraRows()
  const last = from + pets.length - 1
  const more = nextCursor === undefined ? '' : '; there are more'
  byId('position').textContent = pets.length === 0 ? '' : `Rows ${from}–${last}${more}`
  const focused = document.activeElement
  PAGER.first.disabled = cursor === undefined
  PAGER.previous.disabled = earlier.length === 0
  PAGER.next.disabled = nextCursor === undefined
  // A button that is disabled loses the focus.
  if (focused instanceof HTMLButtonElement && focused.disabled)
    PAGER[nextCursor === undefined ? 'previous' : 'next'].focus()
}

/** A key that may not list may add. */
function showAddFormOnly(page: ListPage): void {
  shown = page
  nextCursor = undefined
  show([])
  byId('rows').replaceChildren()
  byId('add-name').focus()
}

/**
 * The filter and the page size of the pets that are shown, even where others were chosen and cannot
 * be loaded.
 */
function showFilter(): void {
  FILTER.value = shown.status ?? ''
  SIZE.value = String(shown.limit)
}

/** A pet that was found is shown until something else is requested; those that were added stay. */
function addedRows(): readonly ExtraRow[] {
  return extraRows.filter(({ note }) => note === 'new')
}

/**
 * Pets that were found stand above the page, and so do those that were added, unless it has them.
 */
function showExtraRows(): void {
  const rows = extraRows
    .filter(({ pet, note }) => note === 'found' || !shownIds.has(pet.id))
    .map(({ pet, note }) => Object.assign(petRow(pet, note), { className: 'added' }))
  byId('shown').replaceChildren(...rows)
  setTableRoles(byId('table', HTMLTableElement))
  showOpenButtons()
}

function emptyRow(): HTMLTableRowElement {
  const { status } = shown
  const text = make('p', {}, `There are no ${status === undefined ? '' : `${status} `}pets yet.`)
  const button = make('button', { type: 'button' }, 'Add the first pet')
  button.addEventListener('click', () => byId('add-name').focus())
  return noticeRow(text, button)
}

/**
 * A key that is rejected is asked for again; the pets of an earlier key are not shown with it.
 * While no pets are shown yet, the form of the key is the way to try again.
 */
function showError(error: unknown, errorId: string): void {
  const needsForm = codeOf(error) === 'unauthorized' || byId('store').hidden
  if (needsForm) askForKey()
  byId(needsForm ? 'key-error' : errorId).textContent = sentenceOf(error)
}

function askForKey(): void {
  for (const id of SHOWN_WITH_PETS) byId(id).hidden = true
  byId('key-form').hidden = false
  KEY.focus()
}

function clearMessages(): void {
  for (const id of MESSAGES) byId(id).textContent = ''
}

async function findPet(): Promise<void> {
  const input = byId('find-id', HTMLInputElement)
  const text = input.value.trim()
  clearMessages()
  extraRows = addedRows()
  showExtraRows()
  if (!/^-?[0-9]{1,100}$/.test(text)) {
    byId('find-message').textContent = 'Enter the ID of a pet: a whole number, such as 1.'
    input.focus()
    return
  }
  try {
    const pet = await whileBusy(client.getPet(BigInt(text)), PETS, byId('busy'))
    extraRows = [{ pet, note: 'found' }, ...addedRows()]
    showExtraRows()
  } catch (error) {
    showError(error, 'find-message')
  }
}

function onSubmit(id: string, handle: () => Promise<unknown>): void {
  byId(id).addEventListener('submit', (event) => {
    event.preventDefault()
    void handle()
  })
}

function onPress(button: HTMLButtonElement, pageOf: () => ListPage): void {
  button.addEventListener('click', () => {
    void showPage(pageOf(), 'page-message', { isNew: true }).then((isShown) => {
      if (isShown) PETS.scrollIntoView()
    })
  })
}

onSubmit('key-form', async () => {
  if (await useKey(KEY.value)) FILTER.focus()
})
onSubmit('find', findPet)
for (const select of [FILTER, SIZE]) {
  select.addEventListener('change', () => {
    void showPage(firstPage(FILTER.value, SIZE.value), 'list-message', { isNew: true })
  })
}
onPress(PAGER.first, () => firstPage(FILTER.value, SIZE.value))
onPress(PAGER.previous, () => ({
  ...shown,
  ...shown.earlier.at(-1),
  earlier: shown.earlier.slice(0, -1),
}))
onPress(PAGER.next, () => {
  const { cursor, from, limit, earlier } = shown
  return {
    ...shown,
    cursor: nextCursor,
    from: from + limit,
    earlier: [...earlier, { cursor, from }],
  }
})
copyOnPress(byId('copy-list', HTMLButtonElement), () => {
  const query = Object.entries(queryOf(shown)).filter(([, value]) => value !== undefined)
  return curlLine(`/pets?${new URLSearchParams(query)}`)
})
byId('change-key').addEventListener('click', askForKey)
byId('go-to-add').addEventListener('click', () => byId('add-name').focus())
addEventListener('resize', showOpenButtons)
addEventListener('popstate', () => {
  if (hasKey) void showPage(pageOfUrl())
})
addPetForm(
  (pet, idempotencyKey) => client.createPet(pet, { idempotencyKey }),
  (pet) => {
    extraRows = [{ pet, note: 'new' } as const, ...addedRows()].slice(0, 10)
    byId('rows').querySelector('.empty')?.parentElement?.remove()
    showExtraRows()
  },
)
if (developmentKey === undefined) askForKey()
else {
  KEY.value = developmentKey
  await useKey(developmentKey)
}
