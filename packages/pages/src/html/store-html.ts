import { FIELD_INPUTS, FIELD_TITLES, type FieldInput, STATUS_TITLES } from '../fields/pet-fields.ts'
import { type Html, html } from './html.ts'
import { type PageValues, pageHtml } from './page-html.ts'

/** The page of the store; its script fills in the pets. */
export function storeHtml(values: PageValues): string {
  const skipTo = { pets: 'Skip to the pets', 'add-pet': 'Skip to “Add a pet”' }
  const content = html`${mainHtml(values)}${petDrawer}${addDrawer}`
  return pageHtml({ title: 'Pet Store', name: 'store', skipTo, content }, values)
}

function mainHtml({ address }: PageValues): Html {
  return html`<main>
<noscript>
<h1>Pets</h1>
<p>This page needs JavaScript. Without it, list the pets with your API key:</p>
<pre>curl -H "Authorization: Bearer $API_KEY" ${address}/pets</pre>
</noscript>
<p id="busy" class="hint" role="status"></p>
<div id="store" class="flow" hidden>
${toolbar}
<p id="find-message" class="error" role="alert"></p>
<div id="list-message" class="error row" role="alert"></div>
${table}
${pager}
</div>
</main>`
}

const statuses = Object.entries({ '': 'All', ...STATUS_TITLES }).map(
  ([value, title]) => html`<label class="chip">
<input type="radio" name="status" value="${value}"><span>${title}</span>
</label>`,
)

const toolbar = html`<div class="toolbar">
<h1>Pets</h1>
<fieldset id="filter" class="chips"><legend class="unseen">Status</legend>${statuses}</fieldset>
<form id="find" class="row" novalidate>
<label class="unseen" for="find-id">Find by ID</label>
<input id="find-id" inputmode="numeric" autocomplete="off" placeholder="Find by ID"
  aria-describedby="find-tip find-message">
<button class="quiet" type="submit">Find</button>
<span class="tip">
<button class="sign" type="button" aria-label="About finding a pet"
  aria-describedby="find-tip">?</button>
<span id="find-tip" role="tooltip">Deprecated: getPet is removed on 5 December 2030.</span>
</span>
</form>
<div class="actions row">
<button id="copy-list" class="quiet" type="button">Copy as curl</button>
<button id="add-pet" class="primary" type="button" aria-keyshortcuts="Alt+N" title="Alt+N">Add a pet
</button>
</div>
</div>`

const heads = Object.entries(FIELD_TITLES).map(
  ([field, title]) => html`<th scope="col" class="${field}">${title}</th>`,
)

const table = html`<section id="pets" aria-label="Pets" tabindex="-1">
<table id="table" aria-label="Pets">
<thead><tr>${heads}</tr></thead>
<tbody id="added"></tbody>
<tbody id="rows"></tbody>
</table>
</section>`

const pager = html`<div class="pager flow">
<div id="page-message" class="error row" role="alert"></div>
<div class="row spread">
<div class="row">
<label for="size">Rows per page</label>
<select id="size"><option>20</option><option>50</option><option>100</option></select>
<p id="position" aria-live="polite"></p>
</div>
<div class="row pages">
<button id="first" type="button" disabled>First</button>
<button id="previous" type="button" disabled>Previous</button>
<button id="next" type="button" disabled>Next</button>
</div>
</div>
<p class="hint">Ordered by ID. The interface has no other order, and no search by name.</p>
</div>`

const petDrawer = html`<dialog id="pet-drawer" class="drawer flow" aria-labelledby="pet-title">
<div class="row spread">
<h2 id="pet-title">Pet</h2>
<button id="close-pet" class="quiet close" type="button" aria-label="Close">✕</button>
</div>
<p id="pet-busy" class="hint" role="status"></p>
<div id="pet-message" class="error row" role="alert"></div>
<div id="pet" class="flow" hidden>
<dl id="pet-fields"></dl>
<div class="row spread"><h3>JSON</h3>
<button id="copy-pet-json" class="quiet" type="button" aria-label="Copy the JSON">Copy</button>
</div>
<pre id="pet-json" tabindex="0" aria-label="JSON"></pre>
<div class="row spread"><h3>curl</h3>
<button id="copy-pet-curl" class="quiet" type="button" aria-label="Copy the curl line">Copy</button>
</div>
<pre id="pet-curl" tabindex="0" aria-label="curl"></pre>
</div>
</dialog>`

const addDrawer = html`<dialog id="add-drawer" class="drawer flow" aria-labelledby="add-title">
<div class="row spread">
<h2 id="add-title">Add a pet</h2>
<button id="close-add" class="quiet close" type="button" aria-label="Close">✕</button>
</div>
<form id="add-form" class="stack" novalidate>
${Object.entries<FieldInput>(FIELD_INPUTS).map(([name, input]) => fieldHtml(name, input))}
<p id="add-error" class="error" role="alert"></p>
<p id="add-message" class="hint" role="status"></p>
<div class="row end">
<button id="cancel-add" type="button">Close</button>
<button class="primary" type="submit">Add</button>
</div>
</form>
</dialog>`

function fieldHtml(name: string, { label, inputMode = 'text', hint, options }: FieldInput): Html {
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
