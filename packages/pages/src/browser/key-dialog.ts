import { keyFrom } from './api-key.ts'
import { byId } from './elements.ts'
import { keepKey, keptKey } from './kept-key.ts'

/**
 * Makes the dialog for the API key work. `use` is called with the entered key, and resolves to a
 * sentence if it cannot be used. Returns a function that opens the dialog, with a sentence that
 * says why.
 */
export function setUpKeyDialog(
  use: (key: string) => Promise<string | undefined>,
): (why?: string) => void {
  const dialog = byId('key-dialog', HTMLDialogElement)
  const input = byId('key', HTMLInputElement)
  const keep = byId('keep-key', HTMLInputElement)
  const errorMessage = byId('key-error')
  const button = byId('open-key')

  async function submit(): Promise<void> {
    errorMessage.textContent = ''
    const problem = await useKey(input.value)
    errorMessage.textContent = problem ?? ''
    if (problem === undefined) dialog.close()
    else input.focus()
  }

  async function useKey(pasted: string): Promise<string | undefined> {
    try {
      const key = keyFrom(pasted)
      const problem = await use(key)
      if (problem === undefined) keepKey(keep.checked ? key : undefined)
      return problem
    } catch (error) {
      return error instanceof Error ? error.message : String(error)
    }
  }

  function open(why = ''): void {
    input.value = ''
    keep.checked = keptKey() !== undefined
    errorMessage.textContent = why
    if (!dialog.open) dialog.showModal()
  }

  button.hidden = false
  button.addEventListener('click', () => open())
  byId('cancel-key').addEventListener('click', () => dialog.close())
  byId('key-form').addEventListener('submit', (event) => {
    event.preventDefault()
    void submit()
  })
  return open
}
