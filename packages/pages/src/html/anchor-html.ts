import { type Html, html } from './html.ts'

/** A sign that links to a heading, so that its address can be copied. */
export function anchorHtml(id: string, title: string): Html {
  return html`<a class="anchor" href="#${id}" aria-label="Link to ${title}">#</a>`
}
