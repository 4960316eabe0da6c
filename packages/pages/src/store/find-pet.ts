import { byId } from '../browser/elements.ts'
import { isPetId } from './list-page.ts'

/**
 * Makes the form work that finds a pet. `show` is called with the id in its shortest form; for any
 * other text a message says what to enter.
 */
export function setUpFind(show: (id: string) => void): void {
  const input = byId('find-id', HTMLInputElement)
  byId('find').addEventListener('submit', (event) => {
    event.preventDefault()
    const id = input.value.trim()
    const isId = isPetId(id)
    byId('find-message').textContent = isId
      ? ''
      : 'Enter the ID of a pet: a whole number, such as 1.'
    if (isId) show(`${BigInt(id)}`)
    else input.focus()
  })
}
