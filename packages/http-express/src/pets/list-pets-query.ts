import { PAGE_LIMIT, PET_STATUSES, type PetQuery } from '@pet-store/domain'
import * as z from 'zod'
import { parameterRule, parseOrReject, queryParameters } from '../http/request-input.ts'
import { describedAs } from '../openapi/describe-schema.ts'
import { readCursor } from './cursor.ts'
import { PET_STATUS } from './pet-schema.ts'

const { min, max } = PAGE_LIMIT

const limitRule = parameterRule(`must be an integer from ${min} to ${max}`)
const limit = z
  .string({ error: limitRule })
  .refine((text) => /^[1-9][0-9]{0,2}$/.test(text) && Number(text) <= max, { error: limitRule })
  .transform(Number)

const status = z.enum(PET_STATUSES, { error: parameterRule(`must be one of ${PET_STATUSES.join(', ')}`) })

const cursorRule = parameterRule('must be the cursor of a Link header')
const cursor = z.string({ error: cursorRule }).min(1, { error: cursorRule }).max(512, { error: cursorRule })

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

/** For the description. */
export const listPetsParameters: z.ZodObject = parameters

const strictParameters = parameters.strict()

/** Parses the query of listPets (interface document, section 4.1). Nothing is clamped: an invalid value is a 400. */
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
