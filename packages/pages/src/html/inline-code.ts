import { type Html, html } from './html.ts'

/** A text of the description, with the parts between backticks as code. */
export function inlineCode(text: string): Html {
  const parts = text
    .split('`')
    .map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : html`${part}`))
  return html`${parts}`
}
