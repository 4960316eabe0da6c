import { anchorHtml } from './anchor-html.ts'
import { type Description, operationsOf, readDescription } from './description.ts'
import { GUIDE, type Section } from './guide.ts'
import { type Html, html } from './html.ts'
import { inlineCode } from './inline-code.ts'
import { operationHtml, operationLinkHtml } from './operation-html.ts'
import { type PageValues, pageHtml } from './page-html.ts'
import { schemaTableHtml, tableHtml } from './tables-html.ts'

/** The parts that depend on the description alone, which does not change while a service runs. */
let latest: { readonly openApiJson: string; readonly parts: Parts } | undefined

interface Parts {
  readonly contents: Html
  readonly sections: Html
}

/** The reference page, made from the OpenAPI description. It can be read without its script. */
export function referenceHtml(values: PageValues, openApiJson: string): string {
  if (latest?.openApiJson !== openApiJson)
    latest = { openApiJson, parts: partsOf(readDescription(openApiJson)) }
  const { contents, sections } = latest.parts
  const content = html`<div class="reference">
${contents}
<main id="content" tabindex="-1">
${introHtml(values)}
${sections}
</main>
</div>
${searchDialog}`
  const skipTo = { content: 'Skip to the content' }
  const title = 'Pet Store: reference'
  return pageHtml({ title, name: 'reference', skipTo, content }, values)
}

function partsOf(description: Description): Parts {
  return { contents: contentsHtml(description), sections: sectionsHtml(description) }
}

function sectionsOf(description: Description): readonly Section[] {
  return [
    ...GUIDE,
    { id: 'errors', title: 'Errors', content: errorsHtml(description) },
    { id: 'models', title: 'Models', content: modelsHtml(description) },
    { id: 'changes', title: 'Changes', content: changesHtml(description) },
  ]
}

function contentsHtml(description: Description): Html {
  return html`<nav class="sidebar" aria-label="Contents">
${searchButton}
<h2>Operations</h2>
<ul>${operationsOf(description).map(operationLinkHtml)}</ul>
<h2>Guide</h2>
<ul>${sectionsOf(description).map(({ id, title }) => html`<li><a href="#${id}">${title}</a></li>`)}
</ul>
</nav>`
}

function introHtml({ address }: PageValues): Html {
  return html`<div class="intro flow">
<h1>Pet Store API</h1>
<p>List, add and get the pets of a store over HTTP and JSON. Base address:
<code id="base">${address}</code></p>
<p id="key-note" class="hint" role="status"></p>
<noscript><p class="hint">Requests from this page need JavaScript; the text and the samples do not.
</p></noscript>
</div>`
}

function sectionsHtml(description: Description): Html {
  const sections = sectionsOf(description).map(
    ({ id, title, content }) => html`<section id="${id}" class="flow">
<h2>${title} ${anchorHtml(id, title)}</h2>
${content}
</section>`,
  )
  return html`${operationsOf(description).map(operationHtml)}${sections}`
}

function errorsHtml({ 'x-errors': errors }: Description): Html {
  const rows = Object.entries(errors).map(([code, { status, meaning }]) => [
    html`<span id="error-${code}">${status} <code>${breakable(code)}</code></span>
${anchorHtml(`error-${code}`, code)}`,
    inlineCode(meaning),
  ])
  return html`<p>Every error response has exactly <code>code</code>, <code>message</code> and
<code>status</code>. Branch on <code>code</code>, whose meaning never changes; new codes may be
added.</p>
${tableHtml(['Status and code', 'Meaning'], rows)}`
}

/** An error code that a narrow column may break between its words. */
function breakable(code: string): Html {
  return html`${code.split('_').map((word, index) => html`${index > 0 && html`_<wbr>`}${word}`)}`
}

function modelsHtml({ components }: Description): Html {
  const models = Object.entries(components.schemas).filter(
    ([, { properties }]) => properties !== undefined,
  )
  return html`${models.map(
    ([name, schema]) => html`<h3 id="model-${name}">${name}
${anchorHtml(`model-${name}`, name)}</h3>
<p class="hint">${inlineCode(schema.description ?? '')}</p>
${schemaTableHtml(schema)}`,
  )}`
}

/** Each version with its list of changes, from the text of the description. */
function changesHtml({ info }: Description): Html {
  const [, changes = ''] = info.description.split('## Changes')
  const blocks = changes.trim().split('\n\n')
  return html`${blocks.map((block) => {
    if (!block.startsWith('* ')) return html`<h3>${block.replace(/:$/, '')}</h3>`
    const lines = block.split('\n').map((line) => html`<li>${inlineCode(line.slice(2))}</li>`)
    return html`<ul>${lines}</ul>`
  })}`
}

const searchButton = html`<button id="open-search" type="button" hidden
  aria-keyshortcuts="Control+K">Search <kbd>Ctrl K</kbd></button>`

const searchDialog = html`<dialog id="search-dialog" aria-label="Search">
<div class="stack">
<label class="unseen" for="search">Search the reference</label>
<input id="search" type="search" autocomplete="off" placeholder="Search the reference"
  aria-describedby="search-count">
<p id="search-count" class="hint" role="status"></p>
<ul id="search-results"></ul>
</div>
</dialog>`
