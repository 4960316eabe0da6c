/** A text as HTML shows it. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
}

/** The same, with what stands between backticks as code. */
export function inlineCode(text: string): string {
  return escapeHtml(text).replace(/`([^`]*)`/g, '<code>$1</code>')
}

/** Fills a template: `{{name}}` with a text, `{{{name}}}` with HTML. */
export function fillTemplate(template: string, values: Readonly<Record<string, string>>): string {
  return template.replace(/\{\{\{(\w+)\}\}\}|\{\{(\w+)\}\}/g, (_, html: string | undefined, text = '') =>
    html === undefined ? escapeHtml(values[text] ?? '') : (values[html] ?? ''),
  )
}
