// JSON whose numbers keep the digits with which they were written.

/** `context.source` is the text of a number. Older browsers have no `context`. */
type Reviver = (key: string, value: unknown, context?: { readonly source?: string }) => unknown

/** Parses JSON, and replaces each number by the result of `number` for its digits. */
export function parseWithDigits(text: string, number: (digits: string) => unknown): unknown {
  const reviver: Reviver = (_key, value, context) =>
    typeof value === 'number' ? number(context?.source ?? String(value)) : value
  return JSON.parse(text, reviver)
}

const { rawJSON } = JSON as unknown as { rawJSON?: (text: string) => unknown }

/**
 * Writes JSON on several lines, with all digits of its numbers. Returns text that is not JSON
 * unchanged, and in older browsers any text.
 */
export function indented(text: string): string {
  if (rawJSON === undefined) return text
  try {
    return escapeDirections(JSON.stringify(parseWithDigits(text, rawJSON), undefined, 2))
  } catch {
    return text
  }
}

/** Writes JSON on one line, as `indented` does on several. */
export function compact(text: string): string {
  if (rawJSON === undefined) return text
  try {
    return JSON.stringify(parseWithDigits(text, rawJSON))
  } catch {
    return text
  }
}

/** Escapes characters that control the direction of text, which would reorder the text around. */
export function escapeDirections(json: string): string {
  return json.replaceAll(
    /[\u200e\u200f\u202a-\u202e\u2066-\u2069]/g,
    (it) => `\\u${it.charCodeAt(0).toString(16)}`,
  )
}
