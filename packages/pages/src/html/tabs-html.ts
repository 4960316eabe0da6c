import { type Html, html } from './html.ts'

/** One of several texts, of which one is shown at a time. */
export interface Tab {
  /** Distinguishes it from the other tabs of the list. */
  readonly name: string
  readonly label: string
  /** Attributes of its panel. */
  readonly data?: Html
  readonly text: string
}

/** Tabs, which the script of the page makes work. Until then the first one is shown. */
export function tabsHtml(id: string, title: string, tabs: readonly Tab[]): Html {
  const buttons = tabs.map(
    ({ name, label }, index) =>
      html`<button class="tab" type="button" role="tab" id="${id}-${name}-tab"
  aria-selected="${String(index === 0)}" aria-controls="${id}-${name}"
  data-name="${name}">${label}</button>`,
  )
  const panels = tabs.map(
    ({ name, data, text }, index) =>
      html`<pre id="${id}-${name}" role="tabpanel" aria-labelledby="${id}-${name}-tab" tabindex="0"
  ${data}${index > 0 && html` hidden`}>${text}</pre>`,
  )
  return html`<div class="tabs" id="${id}">
<div class="row spread">
<div role="tablist" aria-label="${title}">${buttons}</div>
<button class="quiet copy" type="button">Copy</button>
</div>${panels}</div>`
}
