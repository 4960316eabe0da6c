import type { PetId, PetQuery, PetUseCases } from '@pet-store/domain'
import { writeCursor } from './cursor.ts'
import { type Clock, expectNotRetired, isGetPetRetired } from './deprecation.ts'
import { HttpError } from './error-answer.ts'
import { readIdempotencyKey } from './idempotency-key.ts'
import { readInt64 } from './int64.ts'
import { readListPetsQuery } from './list-pets-query.ts'
import { readNewPet } from './new-pet-body.ts'
import type { OperationHandlers } from './operation-handlers.ts'
import { petJson, petsJson } from './pet-json.ts'
import { honoursStrict } from './preference.ts'
import { expectNoParameters } from './query-parameters.ts'
import { readJsonBody } from './read-body.ts'
import type { References } from './references.ts'
import { callerOf, expectScope } from './require-bearer.ts'
import { addHeader, sendJson } from './send-answer.ts'

/** The three operations of the interface document (section 4): each parses, calls, shapes and sends. */
export function petHandlers(pets: PetUseCases, now: Clock, references: References): OperationHandlers {
  return {
    listPets: async (req, res) => {
      expectScope(res, 'pets:read')
      const query = readListPetsQuery(req.url, honoursStrict(req, res))
      const page = await pets.listPets(query)
      if (page.next !== undefined) addHeader(res, 'Link', nextPageLink(references.list, query, page.next))
      sendJson(res, 200, petsJson(page.pets))
    },

    createPet: async (req, res) => {
      expectScope(res, 'pets:write')
      const isStrict = honoursStrict(req, res)
      const body = await readJsonBody(req)
      expectNoParameters(req.url, isStrict)
      const key = readIdempotencyKey(req)
      const idempotencyKey = key === undefined ? undefined : { owner: callerOf(res).keyId, key, at: now() }
      const { pet } = await pets.createPet(readNewPet(body, isStrict), { idempotencyKey })
      if (!isGetPetRetired(now)) addHeader(res, 'Location', `${references.pet}${pet.id}`)
      sendJson(res, 201, petJson(pet))
    },

    getPet: async (req, res) => {
      expectScope(res, 'pets:read')
      expectNotRetired(now)
      expectNoParameters(req.url, honoursStrict(req, res))
      const id = readInt64(req.params.petId)
      if (id === undefined) throw new HttpError('not_found', 'There is no such pet: an id is an integer of 64 bits.')
      const pet = await pets.getPet(id)
      sendJson(res, 200, petJson(pet))
    },
  }
}

/** Leads to the following page (RFC 8288). */
function nextPageLink(list: string, { limit, status }: PetQuery, next: PetId): string {
  const filter = status === undefined ? '' : `&status=${status}`
  return `<${list}?limit=${limit}${filter}&cursor=${writeCursor(next, status)}>; rel="next"`
}
