import type { Pet, PetStoreClient } from '@pet-store/client'
import { byId, find, make } from '../browser/elements.ts'
import { showMessage } from '../browser/show-message.ts'
import { addressOf, type ListPage, pageOfUrl, queryOf } from './list-page.ts'
import { noticeRow, petRow, setTableRoles, skeletonRows } from './rows.ts'
import { whileBusy } from './while-busy.ts'

const MAX_ADDED = 10
const PETS = byId('pets')
const PAGER = {
  first: byId('first', HTMLButtonElement),
  previous: byId('previous', HTMLButtonElement),
  next: byId('next', HTMLButtonElement),
}

/** The page that is shown, the cursor of the following page, and the pets; no pets at first. */
let shown: ListPage = pageOfUrl()
let nextCursor: string | undefined
let pets: readonly Pet[] | undefined
/** Pets that were added on this visit, the newest first. */
let added: readonly Pet[] = []
/** Aborts the request for a page when a later one overtakes it. */
let latestRequest = new AbortController()

export function shownPage(): ListPage {
  return shown
}

export function cursorOfNext(): string | undefined {
  return nextCursor
}

/** The pet with this id, if it is on the page already. */
export function shownPet(id: string): Pet | undefined {
  return [...(pets ?? []), ...added].find((pet) => `${pet.id}` === id)
}

/**
 * Loads a page and shows it. Resolves to false if a later page was requested meanwhile. Rejects
 * with the error of the client, in which case the previous page stays.
 */
export async function loadPage(client: PetStoreClient, page: ListPage): Promise<boolean> {
  latestRequest.abort()
  latestRequest = new AbortController()
  const { signal } = latestRequest
  if (pets === undefined) showRows(skeletonRows(page.limit))
  try {
    const listed = client.listPets(queryOf(page), { signal })
    const result = await whileBusy(listed, PETS, byId('busy'))
    shown = page
    pets = result.pets
    nextCursor = result.next?.cursor
    show()
    PETS.scrollTop = 0
    return true
  } catch (error) {
    if (signal.aborted) return false
    showFilter()
    throw error
  }
}

/**
 * Says why a page cannot be shown: in `message` if pets of another page are shown, else in place of
 * the pets.
 */
export function showFailure(text: string, message: HTMLElement, retry: () => void): void {
  if (pets !== undefined) {
    showMessage(message, text, retry)
    return
  }
  const notice = make('div', { className: 'error row', role: 'alert' })
  showRows([noticeRow(notice)])
  showMessage(notice, text, retry)
}

/** Shows only a text and a button, while there is no key. */
export function showNotice(text: string, button: HTMLButtonElement): void {
  pets = undefined
  added = []
  showAdded()
  showRows([noticeRow(make('p', {}, text), button)])
}

/** Forgets the pets that were added with another key, because a new key may not be able to read. */
export function forgetAdded(): void {
  added = []
}

/**
 * Shows a pet that was added: at the end of the list if this is its last page and has room for it,
 * else above the page.
 */
export function showAddedPet(pet: Pet): void {
  added = [pet, ...added].slice(0, MAX_ADDED)
  const { status, limit } = shown
  const hasRoom = pets !== undefined && nextCursor === undefined && pets.length < limit
  if (hasRoom && (status === undefined || status === pet.status)) pets = [...(pets ?? []), pet]
  if (pets !== undefined) show()
  else showAdded()
}

/**
 * Resets the filter and the page size to those of the page that is shown, if loading another one
 * has failed.
 */
export function showFilter(): void {
  for (const radio of document.querySelectorAll<HTMLInputElement>('#filter input'))
    radio.checked = radio.value === (shown.status ?? '')
  byId('size', HTMLSelectElement).value = String(shown.limit)
}

function show(): void {
  showFilter()
  const isNew = new Set(added.map(({ id }) => id))
  const rows = (pets ?? []).map((pet) =>
    petRow(pet, addressOf(shown, `${pet.id}`), { isNew: isNew.has(pet.id) }),
  )
  showRows(rows.length === 0 && added.length === 0 ? [emptyRow()] : rows)
  showAdded()
  showPosition()
}

/** Shows the added pets that are not on the page above it. */
function showAdded(): void {
  const onPage = new Set(pets?.map(({ id }) => id))
  const rows = added
    .filter(({ id }) => !onPage.has(id))
    .map((pet) => petRow(pet, addressOf(shown, `${pet.id}`), { isNew: true }))
  byId('added').replaceChildren(...rows)
  setTableRoles(byId('table', HTMLTableElement))
}

function showRows(rows: readonly HTMLTableRowElement[]): void {
  byId('rows').replaceChildren(...rows)
  setTableRoles(byId('table', HTMLTableElement))
}

function showPosition(): void {
  const { cursor, from, earlier } = shown
  const count = pets?.length ?? 0
  const above = byId('added').childElementCount
  const parts = [
    ...(count === 0 ? [] : [count === 1 ? `${from}` : `${from}–${from + count - 1}`]),
    ...(above === 0 ? [] : [`${above} new`]),
  ]
  byId('position').textContent = parts.join(' and ')
  const focused = document.activeElement
  PAGER.first.disabled = cursor === undefined
  PAGER.previous.disabled = earlier.length === 0
  PAGER.next.disabled = nextCursor === undefined
  // A disabled button would lose the focus, so it moves to another one.
  if (focused instanceof HTMLButtonElement && focused.disabled)
    PAGER[nextCursor === undefined ? 'previous' : 'next'].focus()
}

function emptyRow(): HTMLTableRowElement {
  const { status } = shown
  const text = make('p', {}, `There are no ${status === undefined ? '' : `${status} `}pets yet.`)
  const [name, target] =
    status === undefined
      ? ['Add the first pet', byId('add-pet')]
      : ['Show all pets', find(document, '#filter [value=""]')]
  const button = make('button', { type: 'button' }, name)
  button.addEventListener('click', () => target.click())
  return noticeRow(text, button)
}
