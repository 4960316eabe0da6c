import type { Schema } from './description.ts'

/** The type of a value and its rule, in a few words: `integer, 1 to 100, default 20`. */
export function ruleOf(schema: Schema): string {
  const { format, minimum, maximum, default: initial } = schema
  const hasRange = minimum !== undefined && maximum !== undefined && format !== 'int64'
  const parts = [
    schema.enum?.join(', ') ?? typeOf(schema),
    hasRange ? `${minimum} to ${maximum}` : '',
    initial === undefined ? '' : `default ${initial}`,
  ]
  return parts.filter((part) => part !== '').join(', ')
}

/** The type of a value in a word: `int64`. */
export function typeOf({ type = '', format = type }: Schema): string {
  return format
}
