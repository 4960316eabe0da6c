import { parseWithDigits } from '../browser/exact-json.ts'

/** The smallest and the largest value of each integer type. */
const RANGES: Readonly<Record<string, readonly [bigint, bigint]>> = {
  int32: [-(2n ** 31n), 2n ** 31n - 1n],
  int64: [-(2n ** 63n), 2n ** 63n - 1n],
}

interface Field {
  readonly name: string
  readonly value: string
  readonly type: string
  readonly isRequired: boolean
  readonly min?: string | undefined
  readonly max?: string | undefined
}

/** Says what is wrong with the value of a field, by the rules of the description. */
export function problemOf({ name, value, type, isRequired, min, max }: Field): string | undefined {
  if (value === '') return isRequired ? `${name} is required.` : undefined
  const range = RANGES[type]
  if (range === undefined) return undefined
  if (!/^-?\d{1,100}$/.test(value)) return `${name} must be an integer.`
  // The bounds of int64 in the attributes were rounded by JavaScript, so they are not used.
  const [least, most] = type === 'int32' && min && max ? [BigInt(min), BigInt(max)] : range
  const isWithin = BigInt(value) >= least && BigInt(value) <= most
  return isWithin ? undefined : `${name} must be from ${least} to ${most}.`
}

/** Says what is wrong with a body that is not JSON, before it is sent. */
export function bodyProblem(body: string): string | undefined {
  try {
    parseWithDigits(body, (digits) => digits)
    return undefined
  } catch (error) {
    return `The body is not JSON: ${error instanceof Error ? error.message : String(error)}`
  }
}
