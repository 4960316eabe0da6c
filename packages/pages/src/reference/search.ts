import { closeDialogOn } from '../browser/close-dialog.ts'
import { byId, find, make } from '../browser/elements.ts'

/** Something that can be found, with its address on the page. */
interface Entry {
  readonly text: string
  readonly hash: string
}

const MAX_RESULTS = 12

/**
 * Makes the search work, which a button or Ctrl+K opens. It finds sections, operations, parameters,
 * models and error codes.
 */
export function setUpSearch(): void {
  const dialog = byId('search-dialog', HTMLDialogElement)
  const input = byId('search', HTMLInputElement)
  const entries = readEntries()

  function show(): void {
    const words = input.value.toLowerCase().split(/\s+/)
    const found = entries.filter(({ text }) =>
      words.every((word) => text.toLowerCase().includes(word)),
    )
    byId('search-count').textContent =
      found.length === 0 ? 'Nothing found' : `${found.length} found`
    byId('search-results').replaceChildren(...found.slice(0, MAX_RESULTS).map(linkOf))
  }

  function linkOf({ text, hash }: Entry): HTMLLIElement {
    const link = make('a', { href: hash }, text)
    link.addEventListener('click', () => dialog.close())
    return make('li', {}, link)
  }

  function open(): void {
    if (document.querySelector('dialog[open]') !== null) return
    input.value = ''
    show()
    dialog.showModal()
  }

  /** Moves through the results by arrow keys; Enter in the input goes to the first result. */
  function move(event: KeyboardEvent): void {
    const links = [...dialog.querySelectorAll<HTMLAnchorElement>('#search-results a')]
    const index = links.indexOf(document.activeElement as HTMLAnchorElement)
    if (event.key === 'Enter' && index === -1) links[0]?.click()
    else if (event.key === 'ArrowDown') links[Math.min(index + 1, links.length - 1)]?.focus()
    else if (event.key === 'ArrowUp') (links[index - 1] ?? input).focus()
    else return
    event.preventDefault()
  }

  if (/Mac|iP/.test(navigator.platform)) find(document, '#open-search kbd').textContent = '⌘ K'
  byId('open-search').hidden = false
  byId('open-search').addEventListener('click', open)
  document.addEventListener('keydown', (event) => {
    if (event.key.toLowerCase() !== 'k' || !(event.ctrlKey || event.metaKey)) return
    event.preventDefault()
    open()
  })
  closeDialogOn(dialog)
  input.addEventListener('input', show)
  dialog.addEventListener('keydown', move)
}

/** Reads what can be found from the page. */
function readEntries(): readonly Entry[] {
  const sections = [...document.querySelectorAll<HTMLAnchorElement>('.sidebar a')].map(
    ({ textContent, hash }) => ({ text: clean(textContent), hash }),
  )
  const parameters = [...document.querySelectorAll<HTMLElement>('.operation')].flatMap(({ id }) =>
    [...byId(id).querySelectorAll<HTMLElement>('.fields [data-name]')].map(({ dataset }) => ({
      text: `${dataset['name']} – parameter of ${id}`,
      hash: `#parameter-${id}-${dataset['name']}`,
    })),
  )
  const named = [...document.querySelectorAll<HTMLElement>('[id^="error-"], [id^="model-"]')].map(
    ({ id, textContent }) => ({
      text: `${clean(textContent).replace(/ #$/, '')} – ${id.split('-')[0]}`,
      hash: `#${id}`,
    }),
  )
  return [...sections, ...parameters, ...named]
}

function clean(text: string | null): string {
  return (text ?? '').replace(/\s+/g, ' ').trim()
}
