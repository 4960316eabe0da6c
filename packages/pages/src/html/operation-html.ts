import type { AddressedOperation, Parameter } from './description.ts'
import { type Html, html } from './html.ts'
import { inlineCode } from './inline-code.ts'
import { fieldTableHtml, schemaTableHtml, tableHtml } from './tables-html.ts'

/** One operation: what it does beside its samples and a form to try it. */
export function operationHtml(operation: AddressedOperation): Html {
  const { operationId, method, path, summary, description, parameters, requestBody } = operation
  const body = requestBody?.content['application/json']
  return html`<section class="operation" id="${operationId}" aria-labelledby="${operationId}-title"
  data-method="${method.toUpperCase()}" data-path="${path}">
<div class="about flow">
<h2 id="${operationId}-title">${summary}${deprecatedMark(operation)}</h2>
<p class="address">${methodBadge(method)} <code>/v1${path}</code></p>
<p>${inlineCode(description)}</p>
<h3>Parameters</h3>
${fieldTableHtml(parameters)}
${
  body &&
  html`<h3>Body</h3><p class="hint">${inlineCode(requestBody?.description ?? '')}</p>
${schemaTableHtml(body.schema)}`
}
<h3>Responses</h3>
${responsesHtml(operation)}
</div>
<div class="example flow">
${samplesHtml(operation)}
${formHtml(operation, body?.example)}
</div>
</section>`
}

/** An operation in the contents. */
export function operationLinkHtml(operation: AddressedOperation): Html {
  const { operationId, method, summary } = operation
  return html`<li>
<a href="#${operationId}">${methodBadge(method)} ${summary}</a>${deprecatedMark(operation)}
</li>`
}

function methodBadge(method: string): Html {
  return html`<span class="badge ${method}">${method.toUpperCase()}</span>`
}

function deprecatedMark({ deprecated }: AddressedOperation): Html | undefined {
  return deprecated ? html` <span class="badge deprecated">deprecated</span>` : undefined
}

function responsesHtml({ responses }: AddressedOperation): Html {
  const rows = Object.entries(responses).map(([status, { description }]) => [
    status === 'default' ? 'others' : status,
    inlineCode(description),
  ])
  return tableHtml(['Status', 'Meaning'], rows)
}

/**
 * The templates of the samples; the page's script shows one at a time, with the values of the form.
 */
function samplesHtml({ operationId, 'x-codeSamples': samples }: AddressedOperation): Html {
  const tabs = samples.map(
    ({ label }, index) =>
      html`<button class="quiet" type="button" role="tab" aria-selected="${String(index === 0)}"
  aria-controls="${operationId}-sample-${index}">${label}</button>`,
  )
  const panels = samples.map(({ lang, label, source, 'x-template': template }, index) => {
    const id = `${operationId}-sample-${index}`
    return html`<pre id="${id}" role="tabpanel" aria-label="${label}" tabindex="0"
  data-lang="${lang}" data-template="${template}"${index > 0 && html` hidden`}>${source}</pre>`
  })
  return html`<div class="row spread">
<div role="tablist" aria-label="Languages">${tabs}</div>
<button class="quiet copy" type="button">Copy</button>
</div>${panels}`
}

function formHtml(
  { operationId, parameters, summary }: AddressedOperation,
  example: unknown,
): Html {
  const body =
    example !== undefined &&
    html`<label for="${operationId}-body">Body</label>
<textarea id="${operationId}-body" rows="5" spellcheck="false">
${JSON.stringify(example, null, 2)}</textarea>`
  return html`<form class="try flow" novalidate aria-label="Try: ${summary}" hidden>
<div class="fields">${parameters.map((parameter) => fieldHtml(operationId, parameter))}</div>
${body}
<div class="row">
<button class="primary" type="submit">Send</button><span class="outcome" role="status"></span>
</div>
<div class="answer flow" hidden>
<pre class="headers" tabindex="0" aria-label="Response headers"></pre>
<pre class="body" tabindex="0" aria-label="Response body"></pre>
<button class="next-page" type="button" hidden>Next page</button>
</div>
</form>`
}

function fieldHtml(operationId: string, parameter: Parameter): Html {
  const { in: where, name, schema, example = '', required } = parameter
  const id = `${operationId}-${name}`
  const label = html`<label for="${id}">${name}${required && ' *'}</label>`
  const data = html`id="${id}" data-in="${where}" data-name="${name}"`
  const { enum: values, default: initial = '' } = schema
  if (values !== undefined) {
    const options = ['', ...values].map((value) => html`<option>${value}</option>`)
    return html`${label}<select ${data}>${options}</select>`
  }
  return html`${label}<input ${data} autocomplete="off" placeholder="${initial}" value="${example}">`
}
