import type { Pet } from '@pet-store/client'
import { copyOnPress } from '../browser/copy.ts'
import { curlLine } from '../browser/curl.ts'
import { find, make } from '../browser/elements.ts'
import { FIELD_TITLES } from '../fields/pet-fields.ts'

/** How a field of a pet is shown. Ids are bigints, so every digit is. */
const CONTENT = {
  id: ({ id }) => `${id}`,
  name: ({ name }) => nameText(name),
  categoryId: ({ categoryId }) => `${categoryId}`,
  status: ({ status }) => (status === undefined ? notSet() : badge(status, status)),
} as const satisfies Readonly<Record<keyof Pet, (pet: Pet) => Node | string>>

const COLUMNS = Object.keys(FIELD_TITLES) as readonly (keyof Pet)[]

/** A row for a pet, with a cell for each column. `note` stands behind its name. */
export function petRow(pet: Pet, note?: string): HTMLTableRowElement {
  const cells = COLUMNS.map((field) => cell(field, CONTENT[field](pet)))
  if (note !== undefined) cells[COLUMNS.indexOf('name')]?.append(badge(note, 'available'))
  return make('tr', {}, ...cells, cell('actions', copyButton(pet)))
}

/** A row that says something in place of pets. */
export function noticeRow(...content: readonly (Node | string)[]): HTMLTableRowElement {
  const only = cell('empty', ...content)
  only.colSpan = COLUMNS.length + 1
  return make('tr', {}, only)
}

/** A phone shows rows as cards, and a browser forgets then that this is a table. */
export function setTableRoles(table: HTMLTableElement): void {
  const roles = { thead: 'rowgroup', tbody: 'rowgroup', tr: 'row', th: 'columnheader', td: 'cell' }
  table.role = 'table'
  for (const [name, role] of Object.entries(roles))
    for (const part of table.querySelectorAll(name)) part.role = role
}

/**
 * Offers to show all of each name that takes more than its three lines, whose number depends on the
 * window.
 */
export function showOpenButtons(): void {
  const names = [...document.querySelectorAll<HTMLElement>('.name:not([data-open])')]
  // All are measured before anything changes, which would lay the table out again for each.
  const areCut = names.map((name) => {
    const { scrollHeight, clientHeight } = find(name, 'bdi')
    return scrollHeight > clientHeight
  })
  for (const [index, name] of names.entries()) {
    const button = name.querySelector('button')
    if (!areCut[index]) button?.remove()
    else if (button === null) name.append(openButton(name))
  }
}

function cell(name: string, ...content: readonly (Node | string)[]): HTMLTableCellElement {
  return make('td', { className: name }, ...content)
}

/** `bdi` keeps the direction of a name, and control characters in it, to itself. */
function nameText(name: string): HTMLElement {
  return make('bdi', { dir: 'auto' }, name)
}

function openButton(name: HTMLElement): HTMLButtonElement {
  const button = quietButton('Show all of the name')
  button.addEventListener('click', () => {
    const isOpen = name.toggleAttribute('data-open')
    button.textContent = isOpen ? 'Show less' : 'Show all of the name'
  })
  return button
}

function notSet(): HTMLElement {
  return make('span', { className: 'hint' }, 'not set')
}

function badge(text: string, kind: string): HTMLElement {
  return make('span', { className: `badge ${kind}` }, text)
}

function copyButton({ id }: Pet): HTMLButtonElement {
  const button = quietButton('Copy')
  button.ariaLabel = `Copy the curl line of pet ${id}`
  copyOnPress(button, () => curlLine(`/pets/${id}`))
  return button
}

function quietButton(text: string): HTMLButtonElement {
  return make('button', { type: 'button', className: 'quiet' }, text)
}
