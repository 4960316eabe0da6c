import { copyOnPress } from '../browser/copy.ts'
import { find } from '../browser/elements.ts'
import { readForm } from './request-form.ts'
import { sampleOf } from './samples.ts'

/** Fills the samples of an operation with the values of its form. */
export function showSamples(operation: HTMLElement, apiKey: string | undefined): void {
  const request = readForm(operation)
  for (const panel of panelsOf(operation)) {
    const { template = '', lang = '' } = panel.dataset
    panel.textContent = sampleOf(template, lang, request, apiKey)
  }
}

/** Makes tabs of the samples, one of which is shown. */
export function setUpTabs(operation: HTMLElement): void {
  const tabs = [...operation.querySelectorAll<HTMLElement>('[role=tab]')]
  const panels = panelsOf(operation)
  const select = (index: number) => {
    for (const [position, tab] of tabs.entries()) {
      tab.ariaSelected = `${position === index}`
      tab.tabIndex = position === index ? 0 : -1
    }
    for (const [position, panel] of panels.entries()) panel.hidden = position !== index
  }
  for (const [index, tab] of tabs.entries()) {
    tab.addEventListener('click', () => select(index))
    tab.addEventListener('keydown', ({ key }) => {
      const step = key === 'ArrowRight' ? 1 : key === 'ArrowLeft' ? -1 : 0
      if (step === 0) return
      const other = (index + step + tabs.length) % tabs.length
      select(other)
      tabs[other]?.focus()
    })
  }
  select(0)
  copyOnPress(
    find(operation, '.copy', HTMLButtonElement),
    () => panels.find((panel) => !panel.hidden)?.textContent ?? '',
  )
}

function panelsOf(operation: HTMLElement): readonly HTMLElement[] {
  return [...operation.querySelectorAll<HTMLElement>('[role=tabpanel]')]
}
