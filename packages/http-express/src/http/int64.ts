import { INT64 } from '@pet-store/domain'

const DECIMAL = /^(?:0|-?[1-9][0-9]{0,18})$/

/** Parses a canonical decimal int64 (no sign `+`, no leading zero, no `-0`); `undefined` for any other text. */
export function readInt64(text: string): bigint | undefined {
  return DECIMAL.test(text) ? withinInt64(BigInt(text)) : undefined
}

/** The integer itself if it fits into 64 bits, else `undefined`. */
export function withinInt64(integer: bigint): bigint | undefined {
  return integer >= INT64.min && integer <= INT64.max ? integer : undefined
}
