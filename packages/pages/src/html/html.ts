/** HTML text, as `html` makes it. */
export interface Html {
  readonly html: string
}

type Content = Html | string | number | false | undefined | readonly Content[]

/** The tag of a template of HTML. Values in it are escaped, unless they are HTML themselves. */
export function html(strings: TemplateStringsArray, ...values: readonly Content[]): Html {
  const parts = strings.map((part, index) => part + textOf(values[index]))
  return { html: parts.join('') }
}

function textOf(content: Content): string {
  if (content === undefined || content === false) return ''
  if (isList(content)) return content.map(textOf).join('')
  return typeof content === 'object' ? content.html : escapeHtml(String(content))
}

// `Array.isArray` does not narrow readonly arrays.
function isList(content: Content): content is readonly Content[] {
  return Array.isArray(content)
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
}
