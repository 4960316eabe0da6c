import { FIELD_INPUTS, FIELD_TITLES, type FieldInput, STATUS_TITLES } from '../fields/pet-fields.ts'
import { type Html, html } from './html.ts'
import { type PageValues, pageHtml } from './page-html.ts'

/** The page of the store; its script fills in the pets. */
export function storeHtml(values: PageValues): string {
  const action = html`<button id="change-key" type="button" hidden>API key</button>`
  return pageHtml({ title: 'Pet Store', name: 'store', action, content: main(values) }, values)
}

function main({ address }: PageValues): Html {
  return html`<main>
<div class="row spread">
<h1>Pets</h1>
<button id="go-to-add" type="button" hidden>Add a pet</button>
</div>
<noscript>
<p>This page needs JavaScript. Without it, list the pets with your API key:</p>
<pre>curl -H "Authorization: Bearer $API_KEY" ${address}/pets</pre>
</noscript>
<p id="busy" class="hint" role="status"></p>
${keyForm}
<div id="store" class="columns" hidden>
<section id="pets" class="panel" aria-label="Pets">
${filters}
<p id="find-message" class="error" role="alert"></p>
<p id="list-message" class="error" role="alert"></p>
${table}
${pager}
</section>
${addForm}
</div>
</main>`
}

const keyForm = html`<form id="key-form" class="panel stack" novalidate hidden>
<label for="key">API key</label>
<input id="key" name="key" type="password" autocomplete="off"
  aria-describedby="key-hint key-error">
<p id="key-hint" class="hint">The page keeps the key in memory until you leave, and sends it to
this service only.</p>
<p id="key-error" class="error" role="alert"></p>
<div class="row"><button class="primary" type="submit">Show the pets</button></div>
</form>`

const statuses = Object.keys(STATUS_TITLES).map((status) => html`<option>${status}</option>`)

const filters = html`<div class="row spread">
<div class="row">
<div class="row">
<label for="filter">Status</label>
<select id="filter"><option value="">All</option>${statuses}</select>
</div>
<div class="row">
<label for="size">Rows</label>
<select id="size"><option>20</option><option>50</option><option>100</option></select>
</div>
<button id="copy-list" class="quiet" type="button">Copy as curl</button>
</div>
<form id="find" class="row" novalidate>
<label for="find-id">Find by ID</label>
<input id="find-id" inputmode="numeric" autocomplete="off"
  aria-describedby="find-note find-message">
<button type="submit">Find</button>
<span id="find-note" class="badge deprecated"
  title="The operation getPet is removed on 5 December 2030">deprecated</span>
</form>
</div>`

const heads = Object.entries(FIELD_TITLES).map(
  ([field, title]) => html`<th scope="col" data-field="${field}">${title}</th>`,
)

const table = html`<table id="table" aria-label="Pets">
<thead>
<tr>${heads}<th scope="col"><span class="hint">curl</span></th></tr>
</thead>
<tbody id="shown"></tbody>
<tbody id="rows"></tbody>
</table>`

const pager = html`<div class="pager">
<p id="page-message" class="error" role="alert"></p>
<div class="row spread">
<p id="position" class="hint" aria-live="polite"></p>
<div class="row">
<button id="first" type="button">First</button>
<button id="previous" type="button">Previous</button>
<button id="next" type="button">Next</button>
</div>
</div>
</div>`

const addForm = html`<form id="add-form" class="panel stack" novalidate>
<h2>Add a pet</h2>
${Object.entries<FieldInput>(FIELD_INPUTS).map(([name, input]) => field(name, input))}
<div class="row"><button class="primary" type="submit">Add</button></div>
<p id="add-error" class="error" role="alert"></p>
<p id="add-message" class="hint" role="status"></p>
</form>`

function field(name: string, { label, inputMode = 'text', hint, options }: FieldInput): Html {
  const id = `add-${name}`
  const hintText = hint && html`<p id="${id}-hint" class="hint">${hint}</p>`
  const described = hint === undefined ? 'add-error' : `${id}-hint add-error`
  const input =
    options === undefined
      ? html`<input id="${id}" name="${name}" dir="auto" inputmode="${inputMode}"
  autocomplete="off" aria-describedby="${described}">`
      : html`<select id="${id}" name="${name}" aria-describedby="${described}">
<option value="">Not set</option>${options.map((option) => html`<option>${option}</option>`)}
</select>`
  return html`<label for="${id}">${label}</label>${input}${hintText}`
}
