import { parseWithDigits } from '../browser/exact-json.ts'

/** Writes a text as a string literal of a language. */
export type Quote = (text: string) => string

/** For each language of the samples. */
export const QUOTES: Readonly<Record<string, Quote>> = {
  shell: (text) => `'${text.replaceAll("'", "'\\''")}'`,
  typescript: singleQuoted,
  python: (text) => (text.includes('"') ? singleQuoted(text) : JSON.stringify(text)),
  go: (text) => (/["\\]/.test(text) && !text.includes('`') ? `\`${text}\`` : JSON.stringify(text)),
}

function singleQuoted(text: string): string {
  const escaped = JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")
  return `'${escaped}'`
}

/** A number with the digits with which it was written. */
class ExactNumber {
  readonly digits: string
  constructor(digits: string) {
    this.digits = digits
  }
}

/**
 * Writes JSON as a literal of TypeScript, with its integers as `bigint`. Returns other text
 * unchanged.
 */
export function typeScriptLiteral(json: string): string {
  try {
    return literalOf(parseWithDigits(json, (digits) => new ExactNumber(digits)))
  } catch {
    return json
  }
}

function literalOf(value: unknown): string {
  if (value instanceof ExactNumber)
    return /^-?\d+$/.test(value.digits) ? `${value.digits}n` : value.digits
  if (typeof value === 'string') return singleQuoted(value)
  if (Array.isArray(value)) return `[${value.map(literalOf).join(', ')}]`
  if (typeof value !== 'object' || value === null) return String(value)
  return objectLiteral(Object.entries(value).map(([name, field]) => [name, literalOf(field)]))
}

/** Writes an object with these fields, whose values are code already. */
export function objectLiteral(fields: readonly (readonly [string, string])[]): string {
  const named = fields.map(
    ([name, code]) => `${/^[a-z_$][\w$]*$/i.test(name) ? name : singleQuoted(name)}: ${code}`,
  )
  return named.length === 0 ? '{}' : `{ ${named.join(', ')} }`
}
