import { MEANING } from '../description/error-codes.ts'
import { ERROR_STATUS, type ErrorCode } from '../response/http-error.ts'

/** What the reference page reads of the OpenAPI description. */
interface Description {
  readonly info: { readonly description: string }
  readonly paths: Readonly<Record<string, Readonly<Record<string, DescribedOperation>>>>
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> }
}

interface DescribedOperation {
  readonly operationId: string
  readonly summary: string
  readonly description: string
  readonly deprecated?: boolean
  readonly parameters: readonly Parameter[]
  readonly requestBody?: { readonly description: string; readonly content: Content }
  readonly responses: Readonly<
    Record<string, { readonly description: string; readonly content?: Content }>
  >
  readonly 'x-codeSamples': readonly { readonly label: string; readonly source: string }[]
}

interface Parameter {
  readonly in: 'path' | 'query' | 'header'
  readonly name: string
  readonly description: string
  readonly required?: boolean
  readonly example?: string | number
  readonly schema: Schema
}

interface Schema {
  readonly type?: string
  readonly format?: string
  readonly description?: string
  readonly enum?: readonly string[]
  readonly minimum?: number
  readonly maximum?: number
  readonly default?: string | number
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
}

type Content = Readonly<Record<string, { readonly schema: Schema; readonly example?: unknown }>>

/**
 * The parts of the reference page that follow from the description, as HTML by their names in the
 * template.
 */
export function referenceHtml(json: string): Readonly<Record<string, string>> {
  const { info, paths, components } = withoutReferences(json)
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method, path, ...operation })),
  )
  return {
    links: operations.map(linkHtml).join(''),
    operations: operations.map(operationHtml).join(''),
    models: Object.entries(components.schemas)
      .filter(([, { properties }]) => properties !== undefined)
      .map(([name, schema]) => modelHtml(name, schema))
      .join(''),
    errors: table(
      ['Status and code', 'Meaning'],
      Object.entries(ERROR_STATUS).map(([code, status]) => [
        `${status} <code>${code}</code>`,
        inlineCode(MEANING[code as ErrorCode]),
      ]),
    ),
    changes: listItems(info.description.split('## Changes')[1] ?? ''),
  }
}

/** The description with each referenced schema in the place of the reference. */
function withoutReferences(json: string): Description {
  const parse = (schemas: Description['components']['schemas']): Description =>
    JSON.parse(json, (_name, value) => schemas[value?.$ref?.split('/').at(-1)] ?? value)
  // Twice, because a schema that is referred to has references too.
  return parse(parse(parse({}).components.schemas).components.schemas)
}

type ShownOperation = DescribedOperation & { readonly method: string; readonly path: string }

const deprecatedMark = ({ deprecated }: DescribedOperation) =>
  deprecated ? ' <span class="badge deprecated">deprecated</span>' : ''

function linkHtml(operation: ShownOperation): string {
  const { operationId, method, summary } = operation
  return `<li><a href="#${operationId}">${methodBadge(method)} ${escapeHtml(summary)}</a>${deprecatedMark(operation)}</li>`
}

function operationHtml(operation: ShownOperation): string {
  const { operationId, method, path, summary, description, parameters, requestBody, responses } =
    operation
  const body = requestBody?.content['application/json']
  return `<section class="operation" id="${operationId}" aria-labelledby="${operationId}-title" data-method="${method.toUpperCase()}" data-path="${escapeHtml(path)}">
<div class="about flow">
<h2 id="${operationId}-title">${escapeHtml(summary)}${deprecatedMark(operation)}</h2>
<p class="address">${methodBadge(method)} <code>/v1${escapeHtml(path)}</code></p>
<p>${inlineCode(description)}</p>
<h3>Parameters</h3>
${fieldTable(parameters)}
${body === undefined ? '' : `<h3>Body</h3><p class="hint">${inlineCode(requestBody?.description ?? '')}</p>${schemaTable(body.schema)}`}
<h3>Responses</h3>
${table(
  ['Status', 'Meaning'],
  Object.entries(responses).map(([status, { description: meaning }]) => [
    status === 'default' ? 'others' : status,
    inlineCode(meaning),
  ]),
)}
</div>
<div class="example flow">
${samplesHtml(operation)}
${tryHtml(operation, body?.example)}
</div>
</section>`
}

/** One sample is shown at a time; the page's script makes tabs of them. */
function samplesHtml({ operationId, 'x-codeSamples': samples }: DescribedOperation): string {
  const tabs = samples.map(
    ({ label }, index) =>
      `<button class="quiet" type="button" role="tab" aria-selected="${index === 0}" aria-controls="${operationId}-sample-${index}">${escapeHtml(label)}</button>`,
  )
  const panels = samples.map(
    ({ source, label }, index) =>
      `<pre id="${operationId}-sample-${index}" role="tabpanel" aria-label="${escapeHtml(label)}" tabindex="0"${index === 0 ? '' : ' hidden'}>${escapeHtml(source)}</pre>`,
  )
  return `<div class="row spread"><div role="tablist" aria-label="Languages">${tabs.join('')}</div><button class="quiet copy" type="button">Copy</button></div>${panels.join('')}`
}

function tryHtml(
  { operationId, parameters, summary }: DescribedOperation,
  example: unknown,
): string {
  const fields = parameters.map((parameter) => fieldHtml(operationId, parameter))
  const body =
    example === undefined
      ? ''
      : `<label for="${operationId}-body">Body</label><textarea id="${operationId}-body" rows="5" spellcheck="false">${escapeHtml(JSON.stringify(example, null, 2))}</textarea>`
  return `<form class="try flow" novalidate aria-label="Try: ${escapeHtml(summary)}" hidden>
<div class="fields">${fields.join('')}</div>${body}
<div class="row"><button class="primary" type="submit">Send</button><span class="outcome" role="status"></span></div>
<div class="answer flow" hidden><pre class="headers" tabindex="0" aria-label="Response headers"></pre><pre class="body" tabindex="0" aria-label="Response body"></pre><button class="next-page" type="button" hidden>Next page</button></div>
</form>`
}

function fieldHtml(
  operationId: string,
  { in: where, name, schema, example, required }: Parameter,
): string {
  const id = `${operationId}-${name}`
  const label = `<label for="${id}">${escapeHtml(name)}${required ? ' *' : ''}</label>`
  const data = `id="${id}" data-in="${where}" data-name="${escapeHtml(name)}"`
  const { enum: values, default: initial } = schema
  if (values !== undefined) {
    return `${label}<select ${data}>${['', ...values].map((value) => `<option>${value}</option>`).join('')}</select>`
  }
  const hint = initial === undefined ? '' : ` placeholder="${escapeHtml(String(initial))}"`
  const given = example === undefined ? '' : ` value="${escapeHtml(String(example))}"`
  return `${label}<input ${data} autocomplete="off"${hint}${given}>`
}

function modelHtml(name: string, schema: Schema): string {
  return `<h3 id="model-${name}">${name}</h3><p class="hint">${inlineCode(schema.description ?? '')}</p>${schemaTable(schema)}`
}

function schemaTable({ properties = {}, required = [] }: Schema): string {
  return fieldTable(
    Object.entries(properties).map(([name, schema]) => ({
      name,
      schema,
      required: required.includes(name),
    })),
  )
}

/**
 * A table of parameters, or of the fields of an object, whose descriptions are in their schemas.
 */
function fieldTable(
  fields: readonly (Pick<Parameter, 'name' | 'schema' | 'required'> & Partial<Parameter>)[],
): string {
  return table(
    ['Name', 'Meaning'],
    fields.map(({ name, in: where, schema, required, description = schema.description ?? '' }) => [
      `<code>${escapeHtml(name)}</code><span class="hint">${[where ?? [], required ? 'required' : []].flat().join(', ')}</span>`,
      `${inlineCode(description)} <span class="hint">${escapeHtml(ruleOf(schema))}</span>`,
    ]),
  )
}

/** The type of a value and its rule, in a few words: `integer, 1 to 100, default 20`. */
function ruleOf(schema: Schema): string {
  const { type, format, enum: values, minimum, maximum, default: initial } = schema
  const range =
    minimum !== undefined && maximum !== undefined && format !== 'int64'
      ? `${minimum} to ${maximum}`
      : ''
  const parts = [
    values?.join(', ') ?? format ?? type ?? '',
    range,
    initial === undefined ? '' : `default ${initial}`,
  ]
  return parts.filter((part) => part !== '').join(', ')
}

function methodBadge(method: string): string {
  return `<span class="badge ${method}">${method.toUpperCase()}</span>`
}

function table(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  const head = heads.map((text) => `<th scope="col">${text}</th>`).join('')
  const body = rows
    .map((cells) => `<tr>${cells.map((cell) => `<td>${cell}</td>`).join('')}</tr>`)
    .join('')
  return `<table><thead><tr>${head}</tr></thead><tbody>${body}</tbody></table>`
}

function listItems(markdown: string): string {
  return [...markdown.matchAll(/^\* (.*)$/gm)]
    .map(([, text = '']) => `<li>${inlineCode(text)}</li>`)
    .join('')
}

/** Fills the template of a page: `{{name}}` with a text, `{{{name}}}` with HTML. */
export function fillTemplate(template: string, values: Readonly<Record<string, string>>): string {
  return template.replace(
    /\{\{\{(\w+)\}\}\}|\{\{(\w+)\}\}/g,
    (_, html: string | undefined, text = '') =>
      html === undefined ? escapeHtml(values[text] ?? '') : (values[html] ?? ''),
  )
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
}

/** The same, with what stands between backticks as code. */
function inlineCode(text: string): string {
  return escapeHtml(text).replace(/`([^`]*)`/g, '<code>$1</code>')
}
