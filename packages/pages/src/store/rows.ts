import type { Pet } from '@pet-store/client'
import { make } from '../browser/elements.ts'
import { badge, contentOf, FIELDS } from './field-content.ts'

/**
 * A row for a pet, with a cell for each field. The link to the pet is in the cell of its id, and
 * styles extend it over the whole row.
 */
export function petRow(pet: Pet, address: string, { isNew = false } = {}): HTMLTableRowElement {
  const cells = FIELDS.map((field) => {
    const content = contentOf(field, pet)
    if (field !== 'id') return cell(field, content)
    const link = make('a', { href: address, ariaLabel: `Pet ${pet.id}` }, content)
    link.dataset['pet'] = `${pet.id}`
    return cell(field, link)
  })
  const row = make('tr', { className: isNew ? 'added' : '' }, ...cells)
  if (isNew) cells[FIELDS.indexOf('name')]?.append(badge('new', 'available'))
  return row
}

/** Placeholders for this many rows that are being loaded. */
export function skeletonRows(count: number): readonly HTMLTableRowElement[] {
  return Array.from({ length: count }, () => {
    const cells = FIELDS.map((field) => cell(field, make('span', { className: 'skeleton' })))
    return make('tr', { ariaHidden: 'true' }, ...cells)
  })
}

/** A row with a notice in place of pets. */
export function noticeRow(...content: readonly (Node | string)[]): HTMLTableRowElement {
  const only = cell('notice', ...content)
  only.colSpan = FIELDS.length
  return make('tr', {}, only)
}

/**
 * Sets the roles of a table. On phones, styles display its parts in another way, for which browsers
 * would no longer give them the roles of a table.
 */
export function setTableRoles(table: HTMLTableElement): void {
  const roles = { thead: 'rowgroup', tbody: 'rowgroup', tr: 'row', th: 'columnheader', td: 'cell' }
  table.role = 'table'
  for (const [name, role] of Object.entries(roles))
    for (const part of table.querySelectorAll(name)) part.role = role
}

function cell(name: string, ...content: readonly (Node | string)[]): HTMLTableCellElement {
  return make('td', { className: name }, ...content)
}
