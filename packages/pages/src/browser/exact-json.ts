// JSON whose numbers stay digit for digit as they were written.

/** Digits of a number, as the engine has read them. Older browsers do not have it. */
type Reviver = (key: string, value: unknown, context?: { readonly source?: string }) => unknown

/** Parses JSON; each number becomes `number` of its digits. */
export function parseWithDigits(text: string, number: (digits: string) => unknown): unknown {
  const reviver: Reviver = (_key, value, context) =>
    typeof value === 'number' ? number(context?.source ?? String(value)) : value
  return JSON.parse(text, reviver)
}

const { rawJSON } = JSON as unknown as { rawJSON?: (text: string) => unknown }

/**
 * JSON on several lines, its numbers digit for digit; other text, and in older browsers any, as it
 * is.
 */
export function indented(text: string): string {
  if (rawJSON === undefined) return text
  try {
    return escapeDirections(JSON.stringify(parseWithDigits(text, rawJSON), undefined, 2))
  } catch {
    return text
  }
}

/** JSON on one line, its numbers digit for digit; other text as it is. */
export function compact(text: string): string {
  if (rawJSON === undefined) return text
  try {
    return JSON.stringify(parseWithDigits(text, rawJSON))
  } catch {
    return text
  }
}

/** Control characters of direction would reorder what stands around a string. */
export function escapeDirections(json: string): string {
  return json.replaceAll(
    /[\u200e\u200f\u202a-\u202e\u2066-\u2069]/g,
    (it) => `\\u${it.charCodeAt(0).toString(16)}`,
  )
}
