import type { Parameter, Schema } from './description.ts'
import { type Html, html } from './html.ts'
import { inlineCode } from './inline-code.ts'
import { ruleOf } from './schema-rule.ts'

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
