/** Lets a dialog be closed by these buttons, by Escape, and by a click outside it. */
export function closeDialogOn(dialog: HTMLDialogElement, ...buttons: readonly HTMLElement[]): void {
  for (const button of buttons) button.addEventListener('click', () => dialog.close())
  dialog.addEventListener('click', (event) => {
    // A click on the backdrop also has the dialog as its target; its coordinates are outside.
    const { left, right, top, bottom } = dialog.getBoundingClientRect()
    const { clientX: x, clientY: y } = event
    const isBeside = x < left || x > right || y < top || y > bottom
    if (event.target === dialog && isBeside) dialog.close()
  })
}
