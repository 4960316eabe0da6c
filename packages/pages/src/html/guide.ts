import { type Html, html } from './html.ts'

/** A section of the reference page. */
export interface Section {
  readonly id: string
  readonly title: string
  readonly content: Html
}

/** What a reader should know about every operation. */
export const GUIDE: readonly Section[] = [
  {
    id: 'authentication',
    title: 'Authentication',
    content: html`<p>Send your API key with every request:
<code>Authorization: Bearer &lt;API_KEY&gt;</code>. A key has the scope <code>pets:read</code>,
<code>pets:write</code> or both. A missing or invalid key is 401, a missing scope 403.</p>`,
  },
  {
    id: 'paging',
    title: 'Paging',
    content: html`<p>A list with more pets has a header
<code>Link: &lt;…&gt;; rel="next"</code>. Request its target, relative to the address that you
requested, until a response has no such link. Each pet that existed at the start is visited exactly
once, even while others are added. <code>limit</code> may change between pages, <code>status</code>
may not. Ids are 64-bit integers: many JSON parsers round them beyond 2<sup>53</sup>.</p>`,
  },
  {
    id: 'retries',
    title: 'Retries',
    content: html`<p>Two equal requests add two pets. Send an <code>Idempotency-Key</code> of your
choice with a new pet, and repeat the request with the same key after a lost response, a timeout or
a 503: within 24 hours exactly one pet is added, and a repeated 201 carries
<code>Idempotency-Replayed: true</code>. After 429 and 503 wait for as many seconds as
<code>Retry-After</code> says.</p>`,
  },
]
