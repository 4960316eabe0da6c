import { withinInt64 } from './int64.ts'

/** A JSON number that is not an int64, with its source text. */
export class InexactNumber {
  readonly source: string

  constructor(source: string) {
    this.source = source
  }
}

/** A number that a double may have rounded: sixteen digits in a row, a fraction or an exponent. */
const MAY_BE_ROUNDED = /[0-9]{16}|[0-9][.eE]/

/**
 * `JSON.parse` (RFC 8259) with exact integers in the fields of the outermost object. A number
 * becomes a `number` where that is certainly exact. Otherwise it becomes a `bigint` if it is an
 * int64 in any notation (`1.0`, `1e3`), else an `InexactNumber`. Numbers in nested values are
 * doubles. Throws a `SyntaxError` for text that is not JSON.
 *
 * Accepts any depth of nesting. `JSON.parse` with a reviver, which gets the text of each number as
 * `context.source`, would fail beyond some 2,000 levels, because it is recursive. It would take
 * five times as long for a long list, because it visits every element.
 */
export function parseExactFields(text: string): unknown {
  const value: unknown = JSON.parse(text)
  if (!MAY_BE_ROUNDED.test(text)) return value
  if (typeof value === 'number') return exact(text.trim())
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  // Assigning is safe even for `__proto__`, which JSON.parse has made an ordinary field.
  for (const [name, source] of numbersOf(text))
    (value as Record<string, unknown>)[name] = exact(source)
  return value
}

function exact(source: string): bigint | InexactNumber {
  return integerOf(source) ?? new InexactNumber(source)
}

/** The name of a field of a valid JSON object, and its value if that is a number. */
const FIELD = /[\s,{]*("[^"\\]*(?:\\.[^"\\]*)*")\s*:\s*(-?[0-9][^\s,}]*)?/y

/** The text of each number in the outermost object that may be rounded, by its field's name. */
function numbersOf(text: string): ReadonlyMap<string, string> {
  const sources = new Map<string, string>()
  let at = 0
  for (;;) {
    FIELD.lastIndex = at
    const [field, name, source] = FIELD.exec(text) ?? []
    if (field === undefined || name === undefined) return sources
    at += field.length
    if (source !== undefined && MAY_BE_ROUNDED.test(source))
      sources.set(JSON.parse(name) as string, source)
    // If a name is repeated, the last value counts, even if it needs no exact reading.
    else if (sources.size > 0) sources.delete(JSON.parse(name) as string)
    if (source === undefined) at = endOfValue(text, at)
  }
}

const QUOTE = 0x22
const BACKSLASH = 0x5c
const COMMA = 0x2c
const OPENING_BRACE = 0x7b
const CLOSING_BRACE = 0x7d
const OPENING_BRACKET = 0x5b
const CLOSING_BRACKET = 0x5d

/**
 * Where the value that begins at `start` ends. It goes through the characters, because matching
 * each token of nested values by an expression takes several times as long.
 */
function endOfValue(text: string, start: number): number {
  let depth = 0
  for (let at = start; at < text.length; at += 1) {
    const char = text.charCodeAt(at)
    if (char === QUOTE) at = endOfString(text, at)
    else if (char === OPENING_BRACE || char === OPENING_BRACKET) depth += 1
    else if (depth === 0 && (char === COMMA || char === CLOSING_BRACE)) return at
    else if (char === CLOSING_BRACE || char === CLOSING_BRACKET) depth -= 1
  }
  return text.length
}

function endOfString(text: string, start: number): number {
  let at = start + 1
  for (; at < text.length && text.charCodeAt(at) !== QUOTE; at += 1)
    if (text.charCodeAt(at) === BACKSLASH) at += 1
  return at
}

const NUMBER = /^(-?)([0-9]+)(?:\.([0-9]+))?(?:[eE]([+-]?[0-9]+))?$/

/** The int64 that a JSON number denotes, without arithmetic on anything longer than an int64. */
function integerOf(source: string): bigint | undefined {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = NUMBER.exec(source) ?? []
  const digits = (whole + fraction).replace(/^0+/, '')
  const significant = digits.slice(0, lengthWithoutTrailingZeros(digits))
  if (significant === '') return 0n
  // The value is `significant` followed by this many zeros; a negative number means a fraction.
  const zeros = Number(exponent) - fraction.length + (digits.length - significant.length)
  if (zeros < 0 || significant.length + zeros > 19) return undefined
  return withinInt64(BigInt(sign + significant + '0'.repeat(zeros)))
}

/**
 * A loop, because a regular expression for trailing zeros takes quadratic time on digits such as
 * 1000…0001.
 */
function lengthWithoutTrailingZeros(digits: string): number {
  let length = digits.length
  while (length > 0 && digits[length - 1] === '0') length -= 1
  return length
}
