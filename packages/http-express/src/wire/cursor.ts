import { crc32 } from 'node:zlib'
import { PET_STATUSES, type PetStatus } from '@pet-store/domain'
import * as z from 'zod'
import { HttpError } from '../response/http-error.ts'
import { parameterRule } from './invalid-input.ts'

const rule = parameterRule('must be the cursor of a Link header')

/**
 * A cursor is the base64url encoding of: version (1 byte), list (1 byte), position (8 bytes, int64,
 * big-endian), and the CRC-32 of these, which detects typing errors and truncated texts. A cursor
 * grants nothing, so it is not signed.
 */
const VERSION = 1
const CHECKED_BYTES = 10
const BYTES = CHECKED_BYTES + 4

/** All pets, or those of a status. */
type PagedList = PetStatus | undefined

/** Every list that has pages. A cursor contains an index of this array, so only append to it. */
const LISTS: readonly PagedList[] = [undefined, ...PET_STATUSES]

/** The query parameter; `readCursor` reads it. */
export const cursorParameter: z.ZodExactOptional<z.ZodString> = z
  .string({ error: rule })
  .min(1, { error: rule })
  .max(512, { error: rule })
  .exactOptional()
  .meta({
    param: {
      description:
        'The start of the page. Opaque: take it from a `Link` header, ' +
        'and send the same `status` as in that list.',
      example: writeCursor(20n, undefined),
    },
  })

/** Writes the position after an id in a list as an opaque text. */
export function writeCursor(after: bigint, list: PagedList): string {
  const bytes = Buffer.allocUnsafe(BYTES)
  bytes[0] = VERSION
  bytes[1] = LISTS.indexOf(list)
  bytes.writeBigInt64BE(after, 2)
  bytes.writeUInt32BE(crc32(bytes.subarray(0, CHECKED_BYTES)), CHECKED_BYTES)
  return bytes.toString('base64url')
}

/**
 * Reads the position of a cursor. Throws a 400 for a text that is not a cursor, is damaged, or
 * belongs to another list.
 */
export function readCursor(cursor: string, list: PagedList): bigint {
  const bytes = Buffer.from(cursor, 'base64url')
  if (bytes.length !== BYTES || bytes[0] !== VERSION)
    throw unusable('is not a cursor of this service')
  const after = bytes.readBigInt64BE(2)
  if (bytes[1] !== LISTS.indexOf(list)) {
    throw unusable(
      'belongs to a list with another status filter; send the same status as on the first page',
    )
  }
  // Writing the cursor again checks its checksum, and rejects other texts with the same bytes.
  if (writeCursor(after, list) !== cursor) throw unusable('is damaged')
  return after
}

function unusable(reason: string): HttpError {
  return new HttpError(
    'invalid_request',
    `cursor ${reason}. Take it unchanged from the Link header of a list.`,
  )
}
