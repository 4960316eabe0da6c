import { make } from './elements.ts'

/** Says what went wrong, with a button that tries again; an empty text takes the message back. */
export function showMessage(place: HTMLElement, text: string, retry?: () => void): void {
  place.replaceChildren(...(text === '' ? [] : [make('span', {}, text)]))
  if (retry === undefined) return
  const button = make('button', { type: 'button' }, 'Retry')
  button.addEventListener('click', retry)
  place.append(button)
  place.scrollIntoView({ block: 'nearest' })
}
