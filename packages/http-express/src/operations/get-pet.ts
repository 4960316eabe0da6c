import * as z from 'zod'
import { rejection, success } from '../description/responses.ts'
import { HttpError } from '../response/http-error.ts'
import { sendJson } from '../response/response.ts'
import { describedAs } from '../wire/described-as.ts'
import { INT64_NUMBER, readInt64 } from '../wire/int64.ts'
import { PET_EXAMPLE, petJson, petSchema } from '../wire/pet-json.ts'
import { applyPreference, preferHeader } from '../wire/prefer.ts'
import { assertNoParameters } from '../wire/query.ts'
import type { Operation } from './operation.ts'
import { GONE, RETIRED_FROM, SUNSET_DATE } from './retirement.ts'

/** Parsed by `readInt64`; any other text is the id of no pet, so it is a 404 and not a 400. */
const petId = describedAs(z.string(), INT64_NUMBER, {
  description: 'The `id` of the pet. Anything but an int64 in its shortest decimal form is 404.',
  example: 1,
})

/** `GET /pets/{petId}` (interface document, section 4.3), until its retirement. */
export const getPet: Operation = {
  method: 'get',
  path: '/pets/{petId}',
  scope: 'pets:read',
  stability: 'stable',
  sunset: SUNSET_DATE,
  published: {
    summary: 'Get a pet',
    description:
      'Gets one pet by its `id`. ' +
      'Will be removed on 5 December 2030. Use `GET /pets` with a `status` filter instead.',
    requestParams: { path: z.object({ petId }), header: z.object({ Prefer: preferHeader }) },
    responses: {
      200: success('The pet.', {}, { schema: petSchema, example: PET_EXAMPLE }),
      400: rejection('invalid_request', 'unknown with handling=strict: "x"'),
      404: rejection('not_found', 'There is no pet 1.'),
      410: rejection('gone', GONE),
    },
  },

  createHandler:
    ({ pets, now }) =>
    async (req, res) => {
      if (now().getTime() >= RETIRED_FROM) throw new HttpError('gone', GONE)
      if (applyPreference(req, res)) assertNoParameters(req.url)
      const id = readInt64(String(req.params['petId']))
      if (id === undefined)
        throw new HttpError('not_found', 'There is no such pet: an id is a 64-bit integer.')
      const pet = await pets.getPet(id)
      sendJson(res, 200, petJson(pet))
    },
}
