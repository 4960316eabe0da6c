import type { Parameter, Schema } from './description.ts'
import { type Html, html } from './html.ts'
import { inlineCode } from './inline-code.ts'

/** A table with a head for each column. */
export function tableHtml(
  heads: readonly string[],
  rows: readonly (readonly (Html | string)[])[],
): Html {
  return html`<table>
<thead><tr>${heads.map((text) => html`<th scope="col">${text}</th>`)}</tr></thead>
<tbody>${rows.map((cells) => html`<tr>${cells.map((cell) => html`<td>${cell}</td>`)}</tr>`)}</tbody>
</table>`
}

/** The fields of an object. */
export function schemaTableHtml({ properties = {}, required = [] }: Schema): Html {
  return fieldTableHtml(
    Object.entries(properties).map(([name, schema]) => ({
      name,
      schema,
      required: required.includes(name),
    })),
  )
}

type Field = Pick<Parameter, 'name' | 'schema' | 'required'> & Partial<Parameter>

/**
 * Parameters, or the fields of an object, whose descriptions are in their schemas. Each gets an
 * address that begins with `idPrefix`, if there is one.
 */
export function fieldTableHtml(fields: readonly Field[], idPrefix?: string): Html {
  const rows = fields.map(({ name, in: where, schema, required, description }) => {
    const marks = [where, required ? 'required' : undefined].filter((mark) => mark !== undefined)
    return [
      html`<span${idPrefix && html` id="${idPrefix}${name}"`}><code>${name}</code></span>
<span class="hint">${marks.join(', ')}</span>`,
      html`${inlineCode(description ?? schema.description ?? '')}
<span class="hint">${ruleOf(schema)}</span>`,
    ]
  })
  return tableHtml(['Name', 'Meaning'], rows)
}

/** The type of a value and its rule, in a few words: `integer, 1 to 100, default 20`. */
function ruleOf(schema: Schema): string {
  const { format, minimum, maximum, default: initial } = schema
  const hasRange = minimum !== undefined && maximum !== undefined && format !== 'int64'
  const parts = [
    schema.enum?.join(', ') ?? typeOf(schema),
    hasRange ? `${minimum} to ${maximum}` : '',
    initial === undefined ? '' : `default ${initial}`,
  ]
  return parts.filter((part) => part !== '').join(', ')
}

/** The type of a value in a word: `int64`. */
export function typeOf({ type = '', format = type }: Schema): string {
  return format
}
