import type { ServerResponse } from 'node:http'
import type { Cancellation, PetId, PetQuery, PetUseCases } from '@pet-store/domain'
import { readInt64 } from '../http/exact-json.ts'
import { HttpError } from '../http/http-error.ts'
import { LONG_INPUT_BYTES, readJsonBody, yieldToEventLoop } from '../http/read-body.ts'
import { applyPreference, assertNoParameters, readIdempotencyKey } from '../http/request-input.ts'
import { addHeader, type Handler, type HandlerRequest, sendJson } from '../http/response.ts'
import { verifiedKeyOf } from '../middleware/require-key.ts'
import { readListPetsQuery, writeCursor } from './list-pets-query.ts'
import { GONE, type OperationName, RETIRED_FROM } from './operations.ts'
import { petJson, petsJson, readNewPet } from './pet-schema.ts'

/**
 * The handler of each declared operation (interface document, section 4): it parses, calls,
 * serialises and sends.
 */
export function petHandlers(
  pets: PetUseCases,
  now: () => Date,
  references: References,
): Record<OperationName, Handler> {
  return {
    listPets: async (req, res) => {
      if (req.url.length > LONG_INPUT_BYTES) await yieldToEventLoop()
      const query = readListPetsQuery(req.url, applyPreference(req, res))
      const page = await pets.listPets(query)
      if (page.next !== undefined)
        addHeader(res, 'Link', nextPageLink(references.list, query, page.next))
      sendJson(res, 200, petsJson(page.pets))
    },

    createPet: async (req, res) => {
      const isStrict = applyPreference(req, res)
      const { input, key } = await readCreation(req, res, isStrict)
      const idempotencyKey =
        key === undefined ? undefined : { owner: verifiedKeyOf(res).keyId, key, at: now() }
      const options = { idempotencyKey, cancellation: new ClosedConnection(res) }
      res.locals.isWriting = true
      const { pet, isReplay } = await pets.createPet(input, options)
      if (isReplay) addHeader(res, 'Idempotency-Replayed', 'true')
      if (!isRetired(now)) addHeader(res, 'Location', `${references.pet}${pet.id}`)
      sendJson(res, 201, petJson(pet))
    },

    getPet: async (req, res) => {
      if (isRetired(now)) throw new HttpError('gone', GONE)
      assertNoParameters(req.url, applyPreference(req, res))
      const id = readInt64(String(req.params['petId']))
      if (id === undefined)
        throw new HttpError('not_found', 'There is no such pet: an id is a 64-bit integer.')
      const pet = await pets.getPet(id)
      sendJson(res, 200, petJson(pet))
    },
  }
}

function isRetired(now: () => Date): boolean {
  return now().getTime() >= RETIRED_FROM
}

/**
 * A function of its own, so that nothing holds the parsed body while the database works: 80 kB of
 * nested arrays are 2 MiB.
 */
async function readCreation(req: HandlerRequest, res: ServerResponse, isStrict: boolean) {
  const body = await readJsonBody(req, res)
  assertNoParameters(req.url, isStrict)
  const key = readIdempotencyKey(req)
  return { input: readNewPet(body, isStrict), key }
}

/**
 * Aborted once the connection is closed. Cheaper than an `AbortSignal`, which needs a listener for
 * each request.
 */
class ClosedConnection implements Cancellation {
  readonly #res: ServerResponse

  constructor(res: ServerResponse) {
    this.#res = res
  }

  get aborted(): boolean {
    return this.#res.destroyed
  }
}

function nextPageLink(list: string, { limit, status }: PetQuery, next: PetId): string {
  const filter = status === undefined ? '' : `&status=${status}`
  return `<${list}?limit=${limit}${filter}&cursor=${writeCursor(next, status)}>; rel="next"`
}

/**
 * Where responses refer to: the list, relative to itself; a pet, relative to the list; the
 * reference page, relative to a pet.
 */
export type References = Readonly<Record<'list' | 'pet' | 'docs', string>>

/**
 * Without a public address they are relative, which works behind any host and path prefix; with
 * one, absolute.
 */
export function referencesFrom(publicUrl: string | undefined): References {
  if (publicUrl === undefined) return { list: '', pet: 'pets/', docs: '../../docs' }
  const list = `${publicUrl}/v1/pets`
  return { list, pet: `${list}/`, docs: `${publicUrl}/docs` }
}
