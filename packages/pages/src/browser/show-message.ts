import { make } from './elements.ts'

/**
 * Shows a message in an element, with a button that tries again if there is `retry`. An empty text
 * removes the message.
 */
export function showMessage(element: HTMLElement, text: string, retry?: () => void): void {
  element.replaceChildren(...(text === '' ? [] : [make('span', {}, text)]))
  if (retry === undefined) return
  const button = make('button', { type: 'button' }, 'Retry')
  button.addEventListener('click', retry)
  element.append(button)
  element.scrollIntoView({ block: 'nearest' })
}
