import { copyOnPress } from '../browser/copy.ts'
import { find } from '../browser/elements.ts'

/** A list of tabs, of which one is shown. */
export interface Tabs {
  /** Shows the tab with this name, if there is one. */
  select(name: string): void
}

/**
 * Makes tabs work, by clicks and arrow keys. `onSelect` is called with the name of a tab that the
 * reader has chosen.
 */
export function setUpTabs(root: HTMLElement, onSelect: (name: string) => void): Tabs {
  const tabs = () => [...root.querySelectorAll<HTMLElement>('[role=tab]')]
  const panelOf = (tab: HTMLElement) =>
    find(root, `#${CSS.escape(tab.getAttribute('aria-controls') ?? '')}`)

  function select(name: string): void {
    if (tabs().every((tab) => tab.dataset['name'] !== name)) return
    for (const tab of tabs()) {
      const isSelected = tab.dataset['name'] === name
      tab.ariaSelected = `${isSelected}`
      tab.tabIndex = isSelected ? 0 : -1
      panelOf(tab).hidden = !isSelected
    }
  }

  function choose(tab: HTMLElement | undefined): void {
    const name = tab?.dataset['name']
    if (name === undefined) return
    const top = tab?.getBoundingClientRect().top ?? 0
    select(name)
    tab?.focus()
    onSelect(name)
    // Other tabs above may have become longer or shorter: this one stays where it was pressed.
    scrollBy(0, (tab?.getBoundingClientRect().top ?? 0) - top)
  }

  const list = find(root, '[role=tablist]')
  list.addEventListener('click', (event) => {
    choose((event.target as Element).closest<HTMLElement>('[role=tab]') ?? undefined)
  })
  list.addEventListener('keydown', ({ key }) => {
    const step = key === 'ArrowRight' ? 1 : key === 'ArrowLeft' ? -1 : 0
    if (step === 0) return
    const all = tabs()
    const index = all.findIndex((tab) => tab.ariaSelected === 'true')
    choose(all[(index + step + all.length) % all.length])
  })
  copyOnPress(find(root, '.copy', HTMLButtonElement), () => {
    const shown = tabs().find((tab) => tab.ariaSelected === 'true')
    return shown === undefined ? '' : (panelOf(shown).textContent ?? '')
  })
  select(tabs()[0]?.dataset['name'] ?? '')
  return { select }
}
