import { make } from './elements.ts'

/** Copies a text when the button is pressed, and says so on it. */
export function copyOnPress(button: HTMLButtonElement, textOf: () => string): void {
  const label = button.textContent
  button.addEventListener('click', () => {
    void copied(textOf()).then((isCopied) => {
      button.textContent = isCopied ? 'Copied' : 'Copy it by hand'
      setTimeout(() => {
        button.textContent = label
      }, 1_500)
    })
  })
}

async function copied(text: string): Promise<boolean> {
  // Missing in pages that were not loaded over HTTPS, although TypeScript does not know that.
  const clipboard: Clipboard | undefined = navigator.clipboard
  if (clipboard !== undefined) {
    try {
      await clipboard.writeText(text)
      return true
    } catch {
      // Not allowed; the older way may be.
    }
  }
  const area = make('textarea', { value: text })
  ;(document.querySelector('dialog[open]') ?? document.body).append(area)
  area.select()
  const isCopied = document.execCommand('copy')
  area.remove()
  return isCopied
}
