import { crc32 } from 'node:zlib'
import {
  PAGE_LIMIT,
  PET_STATUSES,
  type PetId,
  type PetQuery,
  type PetStatus,
} from '@pet-store/domain'
import * as z from 'zod'
import { HttpError } from '../http/http-error.ts'
import { parameterRule, parseOrReject, queryParameters } from '../http/request-input.ts'
import { describedAs } from '../openapi/describe-schema.ts'
import { PET_STATUS } from './pet-schema.ts'

const { min, max } = PAGE_LIMIT

const limitRule = parameterRule(`must be an integer from ${min} to ${max}`)
const limit = z
  .string({ error: limitRule })
  .refine((text) => /^[1-9][0-9]{0,2}$/.test(text) && Number(text) <= max, { error: limitRule })
  .transform(Number)

const status = z.enum(PET_STATUSES, {
  error: parameterRule(`must be one of ${PET_STATUSES.join(', ')}`),
})

const cursorRule = parameterRule('must be the cursor of a Link header')
const cursor = z
  .string({ error: cursorRule })
  .min(1, { error: cursorRule })
  .max(512, { error: cursorRule })

const parameters = z.object({
  limit: describedAs(
    limit.exactOptional(),
    { type: 'integer', format: 'int32', minimum: min, maximum: max, default: PAGE_LIMIT.default },
    { description: 'The maximum number of pets to return.' },
  ),
  status: describedAs(status.exactOptional(), PET_STATUS, {
    description: 'Only pets with this status; a pet without a status is in no filtered list.',
  }),
  cursor: cursor.exactOptional().meta({
    param: {
      description:
        'The start of the page. Opaque: take it from a `Link` header, and send the same `status` as in that list.',
    },
  }),
} satisfies Record<Exclude<keyof PetQuery, 'after'> | 'cursor', z.ZodType>)

export const listPetsParameters: z.ZodObject = parameters

const strictParameters = parameters.strict()

/**
 * Parses the query of listPets (interface document, section 4.1). Nothing is clamped: an invalid
 * value is a 400.
 */
export function readListPetsQuery(url: string, isStrict: boolean): PetQuery {
  const {
    cursor,
    limit = PAGE_LIMIT.default,
    status,
  } = parseOrReject(isStrict ? strictParameters : parameters, queryParameters(url))
  return {
    limit,
    ...(status !== undefined && { status }),
    ...(cursor !== undefined && { after: readCursor(cursor, status) }),
  }
}

/**
 * A cursor is base64url of: version (1 byte), filter (1 byte), position (8 bytes, int64,
 * big-endian), CRC-32 of these. The checksum finds typing errors and truncated texts. No secret is
 * involved: a cursor grants nothing.
 */
const VERSION = 1
const CHECKED_BYTES = 10
const BYTES = CHECKED_BYTES + 4

/** The position after a pet in a list with this filter, as an opaque text. */
export function writeCursor(after: PetId, status: PetStatus | undefined): string {
  const bytes = Buffer.allocUnsafe(BYTES)
  bytes[0] = VERSION
  bytes[1] = filterNumber(status)
  bytes.writeBigInt64BE(after, 2)
  bytes.writeUInt32BE(crc32(bytes.subarray(0, CHECKED_BYTES)), CHECKED_BYTES)
  return bytes.toString('base64url')
}

/**
 * The position of a cursor. Throws a 400 for a cursor that is foreign, damaged, or of another
 * filter.
 */
export function readCursor(cursor: string, status: PetStatus | undefined): PetId {
  const bytes = Buffer.from(cursor, 'base64url')
  if (bytes.length !== BYTES || bytes[0] !== VERSION)
    throw unusable('is not a cursor of this service')
  const after = bytes.readBigInt64BE(2)
  if (bytes[1] !== filterNumber(status)) {
    throw unusable(
      'belongs to a list with another status filter; send the same status as on the first page',
    )
  }
  // Writing it again checks the checksum and every other spelling at once.
  if (writeCursor(after, status) !== cursor) throw unusable('is damaged')
  return after
}

/** No filter is a filter of its own. */
function filterNumber(status: PetStatus | undefined): number {
  return status === undefined ? 0 : PET_STATUSES.indexOf(status) + 1
}

function unusable(reason: string): HttpError {
  return new HttpError(
    'invalid_request',
    `cursor ${reason}. Take it unchanged from the Link header of a list.`,
  )
}
