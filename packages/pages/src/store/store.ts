// The page of the store: lists, filters, finds and adds pets with the typed client, and uses only
// the operations of the interface. Filter, page size, position and the pet in the drawer are in the
// URL; the cursors of earlier pages are in the state of the history.
import { createPetStoreClient, type NewPet, type Pet, type PetStoreClient } from '@pet-store/client'
import { copyOnPress } from '../browser/copy.ts'
import { curlLine } from '../browser/curl.ts'
import { byId, make } from '../browser/elements.ts'
import { keptKey } from '../browser/kept-key.ts'
import { setUpKeyDialog } from '../browser/key-dialog.ts'
import { baseUrl, developmentKey } from '../browser/page-values.ts'
import { showMessage } from '../browser/show-message.ts'
import { setUpThemeSwitch } from '../browser/theme-switch.ts'
import { setUpAddDrawer } from './add-pet.ts'
import { setUpFind } from './find-pet.ts'
import {
  addressOf,
  firstPage,
  type ListPage,
  pageAfter,
  pageBefore,
  pageOfUrl,
  petOfUrl,
  queryOf,
} from './list-page.ts'
import { closePet, openPet, setUpPetDrawer } from './pet-drawer.ts'
import {
  cursorOfNext,
  forgetAdded,
  loadPage,
  showAddedPet,
  showFailure,
  showFilter,
  showNotice,
  shownPage,
  shownPet,
} from './pet-list.ts'
import { codeOf, sentenceOf } from './sentences.ts'

const LIST_MESSAGE = byId('list-message')
const PAGE_MESSAGE = byId('page-message')
const SIZE = byId('size', HTMLSelectElement)

let client: PetStoreClient | undefined
const openKeyDialog = setUpKeyDialog(useKey)

/**
 * Lists pets with a key, and uses it from then on. Resolves to a sentence if the service rejects
 * the key.
 */
async function useKey(apiKey: string): Promise<string | undefined> {
  // Without retries, so that a person is told at once what is wrong, such as a rate limit, and when
  // to try again.
  const candidate = createPetStoreClient({ baseUrl, apiKey, retries: 0, timeoutMs: 30_000 })
  const page = pageOfUrl()
  try {
    forgetAdded()
    await loadPage(candidate, page)
    showMessage(LIST_MESSAGE, '')
    showMessage(PAGE_MESSAGE, '')
  } catch (error) {
    if (codeOf(error) === 'unauthorized') {
      if (client === undefined) askForKey()
      return sentenceOf(error)
    }
    client = candidate
    await explain(error, page, LIST_MESSAGE)
  }
  client = candidate
  syncPet()
  return undefined
}

/**
 * Shows a page, and adds it to the history if it `isNew`. If that fails, `message` says why.
 * Resolves to whether the page is shown.
 */
async function showPage(page: ListPage, message: HTMLElement, isNew: boolean): Promise<boolean> {
  if (client === undefined) return false
  showMessage(LIST_MESSAGE, '')
  showMessage(PAGE_MESSAGE, '')
  byId('find-message').textContent = ''
  try {
    if (!(await loadPage(client, page))) return false
    const address = addressOf(page, petOfUrl())
    history[isNew ? 'pushState' : 'replaceState']({ earlier: page.earlier }, '', address)
    return true
  } catch (error) {
    return explain(error, page, message)
  }
}

/**
 * Says in `message` why a page cannot be shown. Resolves to whether another page is shown instead.
 */
async function explain(error: unknown, page: ListPage, message: HTMLElement): Promise<boolean> {
  // The link was cut off or changed, so its cursor is invalid: show the first page of its filter.
  if (codeOf(error) === 'invalid_request' && page.cursor !== undefined) {
    const first = firstPage(page.status ?? '', String(page.limit))
    const isShown = await showPage(first, message, false)
    if (isShown)
      showMessage(LIST_MESSAGE, 'This link has no valid position. Here is the first page.')
    return isShown
  }
  if (codeOf(error) === 'unauthorized') openKeyDialog(sentenceOf(error))
  showFailure(sentenceOf(error), message, () => void showPage(page, message, false))
  return false
}

/** Asks for a key, in place of the pets. */
function askForKey(): void {
  const button = make('button', { type: 'button', className: 'primary' }, 'Enter an API key')
  button.addEventListener('click', () => openKeyDialog())
  showNotice('An API key is needed to see the pets.', button)
}

/** Shows the pet that the URL names, or none. */
function syncPet(): void {
  const id = petOfUrl()
  if (id === undefined) closePet()
  else if (client !== undefined) void openPet(id, shownPet(id), () => loadPet(id))
}

function loadPet(id: string) {
  if (client === undefined) throw new TypeError('No key is used yet.')
  return client.getPet(BigInt(id))
}

function addPet(pet: NewPet, idempotencyKey: string): Promise<Pet> {
  if (client === undefined) throw new TypeError('No key is used yet.')
  return client.createPet(pet, { idempotencyKey })
}

/** Shows a pet at an address of its own, so that going back in the history closes it. */
function goToPet(id: string): void {
  history.pushState({ ...history.state, isPet: true }, '', addressOf(shownPage(), id))
  syncPet()
}

function goTo(page: ListPage, message: HTMLElement): Promise<boolean> {
  return showPage(page, message, true)
}

function onPress(id: string, pageOf: () => ListPage): void {
  byId(id).addEventListener('click', () => {
    void goTo(pageOf(), PAGE_MESSAGE).then((isShown) => {
      if (isShown) byId('store').scrollIntoView()
    })
  })
}

onPress('first', () => firstPage(shownPage().status ?? '', SIZE.value))
onPress('previous', () => pageBefore(shownPage()))
onPress('next', () => pageAfter(shownPage(), cursorOfNext()))
byId('filter').addEventListener('change', (event) => {
  const { value } = event.target as HTMLInputElement
  void goTo(firstPage(value, SIZE.value), LIST_MESSAGE)
})
SIZE.addEventListener('change', () => {
  void goTo(firstPage(shownPage().status ?? '', SIZE.value), PAGE_MESSAGE)
})
setUpFind((id) => {
  if (client === undefined) openKeyDialog()
  else goToPet(id)
})
byId('table').addEventListener('click', (event) => {
  const link = (event.target as Element).closest<HTMLElement>('a[data-pet]')
  const id = link?.dataset['pet']
  // With one of these keys, a browser opens the link in another tab or window.
  if (id === undefined || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return
  event.preventDefault()
  goToPet(id)
})
copyOnPress(byId('copy-list', HTMLButtonElement), () => {
  const query = Object.entries(queryOf(shownPage())).filter(([, value]) => value !== undefined)
  return curlLine(`/pets?${new URLSearchParams(query)}`)
})
setUpPetDrawer(() => {
  if (petOfUrl() === undefined) return
  const state = history.state as { readonly isPet?: boolean } | null
  if (state?.isPet) history.back()
  else history.replaceState(history.state, '', addressOf(shownPage()))
})
addEventListener('popstate', () => {
  const page = pageOfUrl()
  if (addressOf(page) === addressOf(shownPage())) syncPet()
  else void showPage(page, LIST_MESSAGE, false).then(syncPet)
})
setUpAddDrawer(addPet, showAddedPet, () => {
  if (client === undefined) openKeyDialog()
  return client !== undefined
})
setUpThemeSwitch()
showFilter()
byId('store').hidden = false

const key = developmentKey ?? keptKey()
if (key === undefined) askForKey()
else {
  const problem = await useKey(key)
  if (problem !== undefined) openKeyDialog(problem)
}
