import type { PetId, PetQuery, PetUseCases } from '@pet-store/domain'
import { type RequestHandler, Router } from 'express'
import { writeCursor } from './cursor.ts'
import { type Clock, expectNotRetired, isGetPetRetired, markDeprecated } from './deprecation.ts'
import { HttpError } from './error-answer.ts'
import { idempotencyKey } from './idempotency-key.ts'
import { readInt64 } from './int64.ts'
import { readListPetsQuery } from './list-pets-query.ts'
import { answerOptions, refuseMethod } from './methods.ts'
import { readNewPet } from './new-pet-body.ts'
import { petJson, petsJson } from './pet-json.ts'
import { honoursStrict } from './preference.ts'
import { expectNoParameters } from './query-parameters.ts'
import { readJsonBody } from './read-body.ts'
import type { References } from './references.ts'
import { callerOf } from './require-bearer.ts'
import { sendJson } from './send-json.ts'

const COLLECTION_METHODS = 'GET, HEAD, POST, OPTIONS'
const ITEM_METHODS = 'GET, HEAD, OPTIONS'

/** The three operations of the interface document (section 4): each parses, calls, shapes and sends. */
export function petRoutes(pets: PetUseCases, now: Clock, references: References): Router {
  // Paths are exact: case matters, and a slash at the end names something else.
  const router = Router({ caseSensitive: true, strict: true })

  router
    .route('/pets')
    .all(nameRoute('/v1/pets'))
    .get(async (req, res) => {
      const query = readListPetsQuery(req.url, honoursStrict(req, res))
      const page = await pets.listPets(query)
      if (page.next !== undefined) res.setHeader('Link', nextPageLink(references.list, query, page.next))
      sendJson(res, 200, petsJson(page.pets))
    })
    .post(async (req, res) => {
      const isStrict = honoursStrict(req, res)
      const body = await readJsonBody(req)
      expectNoParameters(req.url, isStrict)
      const key = idempotencyKey(req)
      const once = key === undefined ? undefined : { owner: callerOf(res).keyId, key, at: now() }
      const pet = await pets.createPet(readNewPet(body, isStrict), once)
      if (!isGetPetRetired(now)) res.setHeader('Location', `${references.pet}${pet.id}`)
      sendJson(res, 201, petJson(pet))
    })
    .options(answerOptions(COLLECTION_METHODS))
    .all(refuseMethod(COLLECTION_METHODS))

  router
    .route('/pets/:petId')
    .all(nameRoute('/v1/pets/{petId}'), markDeprecated(references.docs))
    .get(async (req, res) => {
      expectNotRetired(now)
      expectNoParameters(req.url, honoursStrict(req, res))
      const id = readInt64(req.params.petId)
      if (id === undefined) throw new HttpError('not_found', 'There is no such pet: an id is an integer of 64 bits.')
      const pet = await pets.getPet(id)
      sendJson(res, 200, petJson(pet))
    })
    .options(answerOptions(ITEM_METHODS))
    .all(refuseMethod(ITEM_METHODS))

  return router
}

/** Leads to the following page (RFC 8288). */
function nextPageLink(list: string, { limit, status }: PetQuery, next: PetId): string {
  const filter = status === undefined ? '' : `&status=${status}`
  return `<${list}?limit=${limit}${filter}&cursor=${writeCursor(next, status)}>; rel="next"`
}

function nameRoute(route: string): RequestHandler {
  return (_req, res, next) => {
    res.locals.route = route
    next()
  }
}
