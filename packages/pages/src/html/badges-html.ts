import type { AddressedOperation } from './description.ts'
import { type Html, html } from './html.ts'

export function methodBadge(method: string): Html {
  return html`<span class="badge ${method}">${method.toUpperCase()}</span>`
}

/** The title of an operation, struck through if the operation is deprecated. */
export function titleHtml({ summary, deprecated }: AddressedOperation): Html {
  return deprecated
    ? html`<s>${summary}</s> <span class="badge deprecated">deprecated</span>`
    : html`${summary}`
}

/** A sign that links to a heading, so that its address can be copied. */
export function anchorHtml(id: string, title: string): Html {
  return html`<a class="anchor" href="#${id}" aria-label="Link to ${title}">#</a>`
}
