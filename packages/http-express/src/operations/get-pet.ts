import * as z from 'zod'
import { rejection, success } from '../description/responses.ts'
import { HttpError } from '../response/http-error.ts'
import { sendJson } from '../response/response.ts'
import { petIdParameter, readPetId } from '../wire/pet-id.ts'
import { PET_EXAMPLE, petJson, petSchema } from '../wire/pet-json.ts'
import { applyPreference, preferHeader } from '../wire/prefer.ts'
import { assertNoParameters } from '../wire/query.ts'
import type { Operation } from './operation.ts'
import { GONE, REMOVED_FROM, SUNSET_DATE } from './removal.ts'

/** `GET /pets/{petId}` (interface document, section 4.3), until its removal. */
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
    requestParams: {
      path: z.object({ petId: petIdParameter }),
      header: z.object({ Prefer: preferHeader }),
    },
    responses: {
      200: success('The pet.', {}, { schema: petSchema, example: PET_EXAMPLE }),
      400: rejection('invalid_request', 'unknown with handling=strict: "x"'),
      404: rejection('not_found', 'There is no pet 1.'),
      410: rejection('gone', GONE),
    },
  },

  createHandler:
    ({ pets, nowMs }) =>
    async (req, res) => {
      if (nowMs() >= REMOVED_FROM) throw new HttpError('gone', GONE)
      if (applyPreference(req, res)) assertNoParameters(req.url)
      const pet = await pets.getPet(readPetId(req.params))
      sendJson(res, 200, petJson(pet))
    },
}
