import { INT64 } from '@pet-store/domain'

/** A value of a column or a parameter; times are numbers of milliseconds since 1970. */
export type Value = string | bigint | number | boolean | null | readonly Value[]

/** An error of a statement, as a server reports it. */
export class StatementError extends Error {
  readonly code: string

  constructor(code: string, message: string) {
    super(message)
    this.code = code
  }
}

/** Changes a value into another type, as `::` does. */
export function cast(value: Value, type: string): Value {
  if (value === null) return null
  if (type.endsWith('[]')) {
    const items = typeof value === 'string' ? arrayOf(value) : (value as readonly Value[])
    return items.map((item) => cast(item, type.slice(0, -2)))
  }
  if (['bigint', 'int8', 'int', 'integer', 'int4'].includes(type)) return toInteger(value)
  if (type === 'text' || type === 'varchar')
    return typeof value === 'bigint' || typeof value === 'number' ? String(value) : value
  if (type === 'pg_lsn' && typeof value === 'string') return BigInt(`0x${value.split('/')[1]}`)
  if (type === 'boolean' || type === 'bool')
    return value === 't' || value === 'true' || value === true
  return value
}

export function toInteger(value: Value): bigint {
  if (typeof value === 'number') return BigInt(Math.round(value))
  if (typeof value === 'string' && !/^-?\d+$/.test(value))
    throw new StatementError('22P02', `invalid input syntax for type bigint: "${value}"`)
  const integer = BigInt(value as string | bigint)
  if (integer < INT64.min || integer > INT64.max)
    throw new StatementError('22003', `value "${integer}" is out of range for type bigint`)
  return integer
}

/** Compares two values of one type, of which one may be a parameter without a cast. */
export function compare(left: Value, right: Value): number {
  if (Array.isArray(left) && Array.isArray(right)) {
    for (const [index, one] of left.entries()) {
      const order = compare(one as Value, right[index] as Value)
      if (order !== 0) return order
    }
    return 0
  }
  if (typeof left === 'bigint' && typeof right === 'string') return compare(left, toInteger(right))
  if (typeof left === 'string' && typeof right === 'bigint') return compare(toInteger(left), right)
  if (left === right) return 0
  return (left as string) < (right as string) ? -1 : 1
}

export function calculate(operator: string, left: Value, right: Value): Value {
  if (left === null || right === null) return null
  if (operator === '||') return `${String(left)}${String(right)}`
  const isFraction = typeof left === 'number' || typeof right === 'number'
  return isFraction
    ? calculateNumbers(operator, Number(left), Number(right))
    : calculateIntegers(operator, toInteger(left), toInteger(right))
}

function calculateNumbers(operator: string, one: number, other: number): number {
  switch (operator) {
    case '+':
      return one + other
    case '-':
      return one - other
    case '*':
      return one * other
    default:
      throw new Error(`The simulated server has no operator ${operator} for fractions.`)
  }
}

function calculateIntegers(operator: string, one: bigint, other: bigint): bigint {
  switch (operator) {
    case '+':
      return one + other
    case '-':
      return one - other
    case '*':
      return one * other
    case '/':
      return one / other
    default:
      return one % other
  }
}

/** Reads the text of an array: `{"a","with \"quotes\"",NULL}`. */
function arrayOf(text: string): readonly Value[] {
  const items: Value[] = []
  const item = /(?:"((?:[^"\\]|\\.)*)"|([^",{}]+))(?=[,}])/gsy
  item.lastIndex = 1
  while (text[item.lastIndex] !== '}' && item.lastIndex < text.length) {
    const found = item.exec(text)
    if (found === null) throw new StatementError('22P02', `malformed array literal: "${text}"`)
    const [, quoted, bare] = found
    items.push(quoted?.replaceAll(/\\(.)/gs, '$1') ?? (bare === 'NULL' ? null : (bare as string)))
    if (text[item.lastIndex] === ',') item.lastIndex += 1
  }
  return items
}

/** The value as text, as the protocol sends it. */
export function textOf(value: Value): string | null {
  if (value === null) return null
  if (typeof value === 'boolean') return value ? 't' : 'f'
  return String(value)
}
