/** What stands in the place of placeholders, by their names. */
export type Values = Readonly<Record<string, string>>

/**
 * Fills in the template of a sample, as the description of the service has it: each `{{name}}`
 * becomes a value, and what stands between `{{#headers}}` and `{{/headers}}` is repeated for each
 * header. What is filled in is not read again.
 */
export function fillTemplate(template: string, values: Values, headers: readonly Values[]): string {
  const [before = '', rest = ''] = template.split('{{#headers}}')
  const [repeated = '', after = ''] = rest.split('{{/headers}}')
  const parts = [
    fill(before, values),
    ...headers.map((header) => fill(repeated, header)),
    fill(after, values),
  ]
  return parts.join('')
}

function fill(text: string, values: Values): string {
  const [start = '', ...placeholders] = text.split('{{')
  const filled = placeholders.map((part) => {
    const end = part.indexOf('}}')
    return (values[part.slice(0, end)] ?? '') + part.slice(end + 2)
  })
  return [start, ...filled].join('')
}
