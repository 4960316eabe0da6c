// The rows of the table of pets.
import { copyOnPress, curlLine } from './curl.js'

/**
 * A row for a pet, with a cell for each column of the table's head. `note` stands behind its name.
 */
export function petRow(pet, note) {
  const row = document.createElement('tr')
  for (const { dataset } of document.querySelectorAll('th')) {
    const field = dataset.field
    // Ids are bigints, so every digit is shown.
    row.append(
      CELLS[field]?.(pet, note) ??
        cell(field, pet[field] === undefined ? notSet() : `${pet[field]}`),
    )
  }
  return row
}

/** How cells are made that do not show the value of a field as it is. */
const CELLS = {
  name: (pet, note) => nameCell(pet.name, note),
  status: ({ status }) => cell('status', status === undefined ? notSet() : badge(status, status)),
  actions: (pet) => cell('actions', copyButton(pet)),
}

/** A row that says something in place of pets. */
export function noticeRow(...content) {
  const row = document.createElement('tr')
  const only = cell('empty', ...content)
  only.colSpan = document.querySelectorAll('th').length
  row.append(only)
  return row
}

/** A phone shows rows as cards, and a browser forgets then that this is a table. */
export function setTableRoles(table) {
  const roles = { thead: 'rowgroup', tbody: 'rowgroup', tr: 'row', th: 'columnheader', td: 'cell' }
  table.role = 'table'
  for (const [name, role] of Object.entries(roles))
    for (const part of table.querySelectorAll(name)) part.role = role
}

function cell(name, ...content) {
  const data = document.createElement('td')
  data.className = name
  data.append(...content)
  return data
}

/**
 * Offers to show all of each name that takes more than its three lines, whose number depends on the
 * window.
 */
export function showOpenButtons() {
  const names = [...document.querySelectorAll('.name:not([data-open])')]
  // All are measured before anything changes, which would lay the table out again for each.
  const areCut = names.map(({ firstChild: text }) => text.scrollHeight > text.clientHeight)
  for (const [index, name] of names.entries()) {
    const button = name.querySelector('button')
    if (!areCut[index]) button?.remove()
    else if (button === null) name.append(openButton(name))
  }
}

/** `bdi` keeps the direction of a name, and control characters in it, to itself. */
function nameCell(name, note) {
  const text = document.createElement('bdi')
  text.dir = 'auto'
  text.textContent = name
  const data = cell('name', text)
  if (note !== undefined) data.append(badge(note, 'available'))
  return data
}

function openButton(name) {
  const button = quietButton('Show all of the name')
  button.addEventListener('click', () => {
    const isOpen = name.toggleAttribute('data-open')
    button.textContent = isOpen ? 'Show less' : 'Show all of the name'
  })
  return button
}

function notSet() {
  const none = document.createElement('span')
  none.className = 'hint'
  none.textContent = 'not set'
  return none
}

function badge(text, kind) {
  const label = document.createElement('span')
  label.className = `badge ${kind}`
  label.textContent = text
  return label
}

function copyButton({ id }) {
  const button = quietButton('Copy')
  button.ariaLabel = `Copy the curl line of pet ${id}`
  copyOnPress(button, () => curlLine(`/pets/${id}`))
  return button
}

function quietButton(text) {
  const button = document.createElement('button')
  button.type = 'button'
  button.className = 'quiet'
  button.textContent = text
  return button
}
