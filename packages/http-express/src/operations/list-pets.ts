import { PAGE_LIMIT, PET_STATUSES, type PetId, type PetQuery } from '@pet-store/domain'
import * as z from 'zod'
import { header, optional } from '../description/headers.ts'
import { rejection, success } from '../description/responses.ts'
import { addHeader, sendJson } from '../response/response.ts'
import { cursorParameter, readCursor, writeCursor } from '../wire/cursor.ts'
import { describedAs } from '../wire/described-as.ts'
import { invalidInput, parameterRule } from '../wire/invalid-input.ts'
import { LONG_INPUT_BYTES, yieldToEventLoop } from '../wire/long-input.ts'
import { limitParameter } from '../wire/page-limit.ts'
import { PET_STATUS, PETS_EXAMPLE, petsJson, petsSchema } from '../wire/pet-json.ts'
import { applyPreference, preferHeader } from '../wire/prefer.ts'
import { queryParameters } from '../wire/query.ts'
import type { Operation } from './operation.ts'

const statusRule = parameterRule(`must be one of ${PET_STATUSES.join(', ')}`)

const query = z.object({
  limit: limitParameter,
  status: describedAs(z.enum(PET_STATUSES, { error: statusRule }).exactOptional(), PET_STATUS, {
    description: 'Only pets with this status; a pet without a status is in no filtered list.',
  }),
  cursor: cursorParameter,
} satisfies Record<Exclude<keyof PetQuery, 'after'> | 'cursor', z.ZodType>)

const strictQuery = query.strict()

const NEXT_PAGE = optional(
  header('Link', '`rel="next"` leads to the next page (RFC 8288). Absent on the last page.', {
    maxLength: 8_192,
  }),
)

/** `GET /pets` (interface document, section 4.1). */
export const listPets: Operation = {
  method: 'get',
  path: '/pets',
  scope: 'pets:read',
  stability: 'stable',
  published: {
    summary: 'List pets',
    description:
      'Lists pets by ascending `id`, a page at a time: ' +
      'follow the `Link` with `rel="next"` until there is none.',
    requestParams: { query, header: z.object({ Prefer: preferHeader }) },
    responses: {
      200: success('One page of pets.', NEXT_PAGE, { schema: petsSchema, example: PETS_EXAMPLE }),
      400: rejection('invalid_request', 'limit must be an integer from 1 to 100, got "0"'),
    },
  },

  createHandler:
    ({ pets, references }) =>
    async (req, res) => {
      if (req.url.length > LONG_INPUT_BYTES) await yieldToEventLoop()
      const query = readQuery(req.url, applyPreference(req, res))
      const page = await pets.listPets(query)
      const json = petsJson(page.pets)
      if (page.next !== undefined)
        addHeader(res, 'Link', nextPageLink(references.list, query, page.next))
      sendJson(res, 200, json)
    },
}

function readQuery(url: string, isStrict: boolean): PetQuery {
  const schema = isStrict ? strictQuery : query
  const result = schema.safeParse(queryParameters(url), { reportInput: true })
  if (!result.success) throw invalidInput(result.error)
  const { limit = PAGE_LIMIT.default, status, cursor } = result.data
  return {
    limit,
    ...(status !== undefined && { status }),
    ...(cursor !== undefined && { after: readCursor(cursor, status) }),
  }
}

function nextPageLink(list: string, { limit, status }: PetQuery, next: PetId): string {
  const filter = status === undefined ? '' : `&status=${status}`
  return `<${list}?limit=${limit}${filter}&cursor=${writeCursor(next, status)}>; rel="next"`
}
