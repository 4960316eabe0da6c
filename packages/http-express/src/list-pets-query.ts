import { PAGE_LIMIT, PET_STATUSES, type PetQuery } from '@pet-store/domain'
import { z } from 'zod'
import { readCursor } from './cursor.ts'
import { describedAs } from './describe-schema.ts'
import { parseOrRefuse } from './invalid-input.ts'
import { PET_STATUS } from './pet-schema.ts'
import { parameterRule, queryParameters } from './query-parameters.ts'

const { min, max } = PAGE_LIMIT

const limitRule = parameterRule(`must be an integer from ${min} to ${max}`)
const limit = z
  .string({ error: limitRule })
  .regex(/^(?:[1-9][0-9]?|100)$/, { error: limitRule })
  .transform(Number)

const status = z.enum(PET_STATUSES, { error: parameterRule(`must be one of ${PET_STATUSES.join(', ')}`) })

const cursorRule = parameterRule('must be the cursor of a Link header')
const cursor = z.string({ error: cursorRule }).min(1, { error: cursorRule }).max(512, { error: cursorRule })

const parameters = z.object({
  limit: describedAs(
    limit.exactOptional(),
    { type: 'integer', minimum: min, maximum: max, default: PAGE_LIMIT.default },
    { description: 'The greatest number of pets to return.' },
  ),
  status: describedAs(status.exactOptional(), PET_STATUS, {
    description: 'Only pets with this status; a pet without one matches none.',
  }),
  cursor: cursor.exactOptional().meta({
    param: {
      description:
        'Where the page begins. Opaque: only a `Link` header gives one, and it fits the `status` of that list.',
    },
  }),
})

/** For the description. */
export const listPetsParameters: z.ZodObject = parameters

const strictParameters = parameters.strict()

/** Reads the query of listPets (behaviour: GET /v1/pets). Nothing is clamped: what does not fit is a 400. */
export function readListPetsQuery(url: string, isStrict: boolean): PetQuery {
  const {
    cursor,
    limit = PAGE_LIMIT.default,
    status,
  } = parseOrRefuse(isStrict ? strictParameters : parameters, queryParameters(url))
  return {
    limit,
    ...(status !== undefined && { status }),
    ...(cursor !== undefined && { after: readCursor(cursor, status) }),
  }
}
