import { INT64 } from '@pet-store/domain'
import * as z from 'zod'
import { describedAs } from './described-as.ts'

/** The JSON Schema of an int64, to which `jsonOf` adds the bounds. */
export const INT64_NUMBER = { type: 'integer', format: 'int64' } as const

/** The schema of an int64 in a response. */
export function int64(description: string): z.ZodType<bigint> {
  return describedAs(z.bigint(), { ...INT64_NUMBER, description })
}

const DECIMAL = /^(?:0|-?[1-9][0-9]{0,18})$/

/**
 * Parses a canonical decimal int64 (no sign `+`, no leading zero, no `-0`); `undefined` for any
 * other text.
 */
export function readInt64(text: string): bigint | undefined {
  return DECIMAL.test(text) ? withinInt64(BigInt(text)) : undefined
}

/** Returns the integer, or `undefined` if it is not within int64. */
export function withinInt64(integer: bigint): bigint | undefined {
  return integer >= INT64.min && integer <= INT64.max ? integer : undefined
}
