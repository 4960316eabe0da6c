import type { CreatePetOptions, PetInput } from '@pet-store/domain'
import * as z from 'zod'
import { verifiedKeyOf } from '../checks/api-key.ts'
import { BODY_DESCRIPTION, BODY_REJECTIONS } from '../description/body.ts'
import { header, optional } from '../description/headers.ts'
import { rejection, success } from '../description/responses.ts'
import type { HandlerRequest } from '../request/handler.ts'
import { CONTEXT, type HandlerResponse } from '../response/context.ts'
import { addHeader, sendJson } from '../response/response.ts'
import { readJsonBody } from '../wire/body/json-body.ts'
import { idempotencyKeyHeader, readIdempotencyKey } from '../wire/idempotency-key.ts'
import {
  NEW_PET_EXAMPLE,
  newPetSchema,
  PET_EXAMPLE,
  petJson,
  petSchema,
  readNewPet,
} from '../wire/pet-json.ts'
import { applyPreference, preferHeader } from '../wire/prefer.ts'
import { assertNoParameters } from '../wire/query.ts'
import type { Operation } from './operation.ts'
import { REMOVED_FROM } from './removal.ts'

const LOCATION = optional(
  header(
    'Location',
    'The address of the new pet: relative to the request, or absolute. ' +
      'Absent once `getPet` is removed.',
    { maxLength: 8_192 },
  ),
)

const REPLAYED = optional(
  header(
    'Idempotency-Replayed',
    '`true` if an earlier request with the same `Idempotency-Key` added the pet.',
    { enum: ['true'] },
  ),
)

/** `POST /pets` (interface document, section 4.2). */
export const createPet: Operation = {
  method: 'post',
  path: '/pets',
  scope: 'pets:write',
  stability: 'stable',
  on503: {
    notDone: 'The pet was not added',
    maybeDone: 'The pet may have been added',
    remedy: 'a request with an Idempotency-Key could be repeated',
    earlier: 'added the pet',
  },
  published: {
    summary: 'Add a pet',
    description:
      'Adds a pet. ' +
      'Two equal requests add two pets, unless they carry the same `Idempotency-Key`.',
    requestParams: {
      header: z.object({ 'Idempotency-Key': idempotencyKeyHeader, Prefer: preferHeader }),
    },
    requestBody: {
      required: true,
      description: BODY_DESCRIPTION,
      content: { 'application/json': { schema: newPetSchema, example: NEW_PET_EXAMPLE } },
    },
    responses: {
      201: success(
        'The pet was added.',
        { ...LOCATION, ...REPLAYED },
        { schema: petSchema, example: PET_EXAMPLE },
      ),
      400: rejection('invalid_request', 'name is required'),
      ...BODY_REJECTIONS,
      422: rejection(
        'idempotency_key_reused',
        'This idempotency key was used to create another pet.',
      ),
    },
  },

  createHandler:
    ({ pets, nowMs, references }) =>
    async (req, res) => {
      const { input, idempotencyKey } = await readCreation(req, res)
      const options = { idempotencyKey, cancellation: res[CONTEXT] }
      const { pet, isReplay } = await pets.createPet(input, options)
      const json = petJson(pet)
      // It leads to getPet.
      if (nowMs() < REMOVED_FROM) addHeader(res, 'Location', `${references.pet}${pet.id}`)
      if (isReplay) addHeader(res, 'Idempotency-Replayed', 'true')
      sendJson(res, 201, json)
    },
}

/**
 * A function of its own, so that nothing holds the parsed body while the database works: 80 kB of
 * nested arrays are 2 MiB.
 */
async function readCreation(
  req: HandlerRequest,
  res: HandlerResponse,
): Promise<Pick<CreatePetOptions, 'idempotencyKey'> & { readonly input: PetInput }> {
  const isStrict = applyPreference(req, res)
  const body = await readJsonBody(req, res)
  if (isStrict) assertNoParameters(req.url)
  const sent = req.headers['idempotency-key']
  const key = sent === undefined ? undefined : readIdempotencyKey(sent)
  const input = readNewPet(body, isStrict)
  if (key === undefined) return { input }
  return { input, idempotencyKey: { owner: verifiedKeyOf(res).keyId, key } }
}
