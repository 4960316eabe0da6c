import { withinInt64 } from './int64.ts'

/** A JSON number that is no int64, kept as it was written. */
export class InexactNumber {
  readonly source: string

  constructor(source: string) {
    this.source = source
  }
}

/**
 * A number that a double may have rounded: sixteen digits in a row, a fraction or an exponent. Found in a string
 * it costs a little time and changes nothing.
 */
const MAY_BE_ROUNDED = /[0-9]{16}|[0-9][.eE]/

/**
 * `JSON.parse` (RFC 8259) that keeps integers exact: a number becomes a `number` where that is certainly exact, else
 * a `bigint` where it denotes an int64 in whatever notation (`1.0`, `1e3`), else an `InexactNumber`.
 * Throws a `SyntaxError` for text that is not JSON, a `RangeError` for text nested too deep.
 */
export function parseExactJson(text: string): unknown {
  return MAY_BE_ROUNDED.test(text) ? JSON.parse(text, keepExact as Reviver) : JSON.parse(text)
}

// TypeScript's library does not declare the third parameter of a reviver, which every supported Node passes.
type Reviver = (key: string, value: unknown) => unknown

function keepExact(_key: string, value: unknown, context: { source?: string }): unknown {
  if (typeof value !== 'number' || context.source === undefined) return value
  return integerOf(context.source) ?? new InexactNumber(context.source)
}

const NUMBER = /^(-?)([0-9]+)(?:\.([0-9]+))?(?:[eE]([+-]?[0-9]+))?$/

/** The int64 that a JSON number denotes, found without arithmetic on anything longer than an int64. */
function integerOf(source: string): bigint | undefined {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = NUMBER.exec(source) ?? []
  const digits = (whole + fraction).replace(/^0+/, '')
  const significant = digits.slice(0, lengthWithoutZerosAtEnd(digits))
  if (significant === '') return 0n
  // The value is `significant` with so many zeros behind it; fewer than none means a fraction.
  const zeros = Number(exponent) - fraction.length + (digits.length - significant.length)
  if (zeros < 0 || significant.length + zeros > 19) return undefined
  return withinInt64(BigInt(sign + significant + '0'.repeat(zeros)))
}

/** A loop, because a pattern for zeros at the end takes quadratic time on digits such as 1000…0001. */
function lengthWithoutZerosAtEnd(digits: string): number {
  let length = digits.length
  while (length > 0 && digits[length - 1] === '0') length -= 1
  return length
}
