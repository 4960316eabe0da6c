/**
 * Lets a dialog at the side be closed by these buttons, by Escape, and by a press beside it.
 */
export function closeOn(dialog: HTMLDialogElement, ...buttons: readonly HTMLElement[]): void {
  for (const button of buttons) button.addEventListener('click', () => dialog.close())
  dialog.addEventListener('click', (event) => {
    // Everything inside has elements of its own.
    const { left, right, top, bottom } = dialog.getBoundingClientRect()
    const { clientX: x, clientY: y } = event
    const isBeside = x < left || x > right || y < top || y > bottom
    if (event.target === dialog && isBeside) dialog.close()
  })
}
