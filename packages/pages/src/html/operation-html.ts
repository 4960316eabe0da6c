import { anchorHtml } from './anchor-html.ts'
import type { AddressedOperation } from './description.ts'
import { formHtml } from './form-html.ts'
import { type Html, html } from './html.ts'
import { inlineCode } from './inline-code.ts'
import { examplesHtml, responsesHtml } from './responses-html.ts'
import { fieldTableHtml, schemaTableHtml } from './tables-html.ts'
import { tabsHtml } from './tabs-html.ts'

/** One operation: what it does, beside its samples, a form to try it, and its responses. */
export function operationHtml(operation: AddressedOperation): Html {
  const { operationId, method, path, summary, description, parameters, requestBody } = operation
  const body = requestBody?.content['application/json']
  return html`<section class="operation" id="${operationId}" aria-labelledby="${operationId}-title"
  data-method="${method.toUpperCase()}" data-path="${path}">
<div class="about flow">
<h2 id="${operationId}-title">${titleHtml(operation)} ${anchorHtml(operationId, summary)}</h2>
<p class="address">${methodBadge(method)} <code>/v1${path}</code></p>
<p>${inlineCode(description)}</p>
<h3>Parameters</h3>
${fieldTableHtml(parameters, `parameter-${operationId}-`)}
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
${formHtml(operation)}
${examplesHtml(operation)}
</div>
</section>`
}

/** An operation in the contents. */
export function operationLinkHtml(operation: AddressedOperation): Html {
  const { operationId, method } = operation
  return html`<li><a href="#${operationId}">${methodBadge(method)} ${titleHtml(operation)}</a></li>`
}

function methodBadge(method: string): Html {
  return html`<span class="badge ${method}">${method.toUpperCase()}</span>`
}

/** The title of an operation, struck through if the operation is deprecated. */
function titleHtml({ summary, deprecated }: AddressedOperation): Html {
  return deprecated
    ? html`<s>${summary}</s> <span class="badge deprecated">deprecated</span>`
    : html`${summary}`
}

/** The samples as they are published; the script of the page fills in their templates. */
function samplesHtml({ operationId, 'x-codeSamples': samples }: AddressedOperation): Html {
  const tabs = samples.map(({ lang, label, source, 'x-template': template }) => ({
    name: lang,
    label,
    data: html`data-lang="${lang}" data-template="${template}"`,
    text: source,
  }))
  return tabsHtml(`${operationId}-sample`, 'Languages', tabs)
}
