import { PAGE_LIMIT, PET_STATUSES, type PetQuery } from '@pet-store/domain'
import { z } from 'zod'
import { readCursor } from './cursor.ts'
import { parseOrRefuse } from './invalid-input.ts'
import { parameterRule, queryParameters } from './query-parameters.ts'

const { min, max } = PAGE_LIMIT

const parameters = z.object({
  limit: z
    .string({ error: parameterRule(`must be an integer from ${min} to ${max}`) })
    .regex(/^(?:[1-9][0-9]?|100)$/, { error: parameterRule(`must be an integer from ${min} to ${max}`) })
    .transform(Number)
    .exactOptional(),
  status: z.enum(PET_STATUSES, { error: parameterRule(`must be one of ${PET_STATUSES.join(', ')}`) }).exactOptional(),
  cursor: z.string({ error: parameterRule('must be the cursor of a Link header') }).exactOptional(),
})

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
