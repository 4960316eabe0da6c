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
 * `JSON.parse` (RFC 8259) with exact integers in the fields of the outermost object: a number becomes a `number` where
 * that is certainly exact, else a `bigint` if it is an int64 in any notation (`1.0`, `1e3`), else an `InexactNumber`.
 * Numbers in nested values are doubles. Throws a `SyntaxError` for text that is not JSON.
 *
 * Takes linear time, and any depth of nesting. A reviver would do neither: it visits every element and calls itself
 * for every level.
 */
export function parseExactJson(text: string): unknown {
  const value: unknown = JSON.parse(text)
  if (!MAY_BE_ROUNDED.test(text)) return value
  if (typeof value === 'number') return exact(text.trim())
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  // Assigning works for the name `__proto__` too, because JSON.parse has made it an ordinary field.
  for (const [name, source] of numbersOf(text)) (value as Record<string, unknown>)[name] = exact(source)
  return value
}

function exact(source: string): bigint | InexactNumber {
  return integerOf(source) ?? new InexactNumber(source)
}

/** What a valid JSON text consists of, apart from white space, commas and colons. */
const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"|[[\]{}]|[^\s",:[\]{}]+/g

/** The source text of each number in the outermost object, by the name of its field. */
function numbersOf(text: string): ReadonlyMap<string, string> {
  const sources = new Map<string, string>()
  let depth = 0
  let name: string | undefined
  for (const [token] of text.matchAll(TOKEN)) {
    if (depth === 1 && name === undefined && token.startsWith('"')) {
      name = token
      continue
    }
    if (depth === 1 && name !== undefined) {
      // Of duplicate names the last one counts, whatever its value is.
      const field = JSON.parse(name) as string
      if (/^[-0-9]/.test(token)) sources.set(field, token)
      else sources.delete(field)
      name = undefined
    }
    if (token === '{' || token === '[') depth += 1
    else if (token === '}' || token === ']') depth -= 1
  }
  return sources
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

/** A loop, because a regular expression for trailing zeros takes quadratic time on digits such as 1000…0001. */
function lengthWithoutTrailingZeros(digits: string): number {
  let length = digits.length
  while (length > 0 && digits[length - 1] === '0') length -= 1
  return length
}
