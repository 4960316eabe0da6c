/** The values of placeholders, by their names. */
export type Values = Readonly<Record<string, string>>

/**
 * Fills in a template of the description: replaces each `{{name}}` by its value, and repeats the
 * text between `{{#headers}}` and `{{/headers}}` for each header. Placeholders in values are not
 * replaced.
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
