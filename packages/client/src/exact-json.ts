/** An integer in digits. Throws a `RangeError` for a number that may have been rounded. */
export function integerText(what: string, value: bigint | number): string {
  if (typeof value === 'bigint' || Number.isSafeInteger(value)) return BigInt(value).toString()
  // JavaScript callers may pass anything.
  const got = typeof value === 'string' ? `the string "${value}"` : String(value)
  throw new RangeError(`${what} must be a bigint or a safe integer, got ${got}.`)
}

/**
 * Reads integers as `bigint`, from their digits where a number would round them; other numbers stay
 * as they are. TypeScript's library does not declare the third parameter, which older engines do
 * not have.
 */
export function exactly(
  _key: string,
  value: unknown,
  context?: { readonly source?: string },
): unknown {
  if (typeof value !== 'number') return value
  const digits = Number.isSafeInteger(value) ? String(value) : (context?.source ?? '')
  return /^-?\d+$/.test(digits) ? BigInt(digits) : value
}

const EXACT_ENGINES = 'Node 22, Chrome 114, Firefox 135, Safari 18.4 or later'

/** Expects an integer that `exactly` has read. Throws for anything else. */
export function assertExact(what: string, value: unknown): bigint {
  if (typeof value === 'bigint') return value
  if (!Number.isInteger(value)) throw new TypeError(`${what} is not an integer.`)
  throw new RangeError(`${what} is beyond 2^53; reading it exactly needs ${EXACT_ENGINES}.`)
}
