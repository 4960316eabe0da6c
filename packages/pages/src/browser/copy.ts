import { make } from './elements.ts'

/** Makes a button copy a text. The label of the button says for a moment whether it was copied. */
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
  // TypeScript does not know that this is undefined in pages that were not loaded over HTTPS.
  const clipboard: Clipboard | undefined = navigator.clipboard
  if (clipboard !== undefined) {
    try {
      await clipboard.writeText(text)
      return true
    } catch {
      // The browser does not allow it, but it may allow `execCommand`.
    }
  }
  const area = make('textarea', { value: text })
  ;(document.querySelector('dialog[open]') ?? document.body).append(area)
  area.select()
  const isCopied = document.execCommand('copy')
  area.remove()
  return isCopied
}
