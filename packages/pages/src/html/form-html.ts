import type { AddressedOperation, Parameter } from './description.ts'
import { type Html, html } from './html.ts'
import { typeOf } from './schema-rule.ts'

/** A form that sends requests to an operation. It is hidden until the script makes it work. */
export function formHtml(operation: AddressedOperation): Html {
  const { operationId, parameters, summary, requestBody } = operation
  const example = requestBody?.content['application/json']?.example
  return html`<form class="try flow" novalidate aria-label="Try: ${summary}" hidden>
<div class="fields">${parameters.map((parameter) => fieldHtml(operationId, parameter))}</div>
${example !== undefined && bodyHtml(operationId, example)}
<p class="error" role="alert"></p>
<div class="row">
<button class="primary" type="submit">Send</button>
<button class="next-page" type="button" hidden>Next page</button>
<span class="outcome" role="status"></span>
</div>
</form>`
}

function fieldHtml(operationId: string, parameter: Parameter): Html {
  const { in: where, name, schema, example, required = false } = parameter
  const id = `${operationId}-${name}`
  const label = html`<label for="${id}">${name}
<span class="hint">${typeOf(schema)}${required && ', required'}</span></label>`
  const data = html`id="${id}" data-in="${where}" data-name="${name}" data-type="${typeOf(schema)}"
  data-min="${schema.minimum}" data-max="${schema.maximum}"${required && html` required`}`
  if (schema.enum !== undefined) {
    const options = schema.enum.map((value) => html`<option>${value}</option>`)
    return html`${label}<select ${data}><option value="">not set</option>${options}</select>`
  }
  const hint = schema.default ?? example ?? ''
  return html`${label}<input ${data} autocomplete="off"
  placeholder="${required ? '' : hint}" value="${required ? example : ''}">`
}

function bodyHtml(operationId: string, example: unknown): Html {
  return html`<label for="${operationId}-body">Body <span class="hint">JSON, required</span></label>
<textarea id="${operationId}-body" rows="5" spellcheck="false">
${JSON.stringify(example, null, 2)}</textarea>`
}
