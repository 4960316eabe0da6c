import type { AttemptOptions, Call, Operation } from './call.ts'
import { integerText } from './exact-json.ts'
import { hooksOf } from './hooks.ts'
import { assertIdempotencyKey, createIdempotencyKey } from './idempotency-key.ts'
import {
  assertApiKey,
  type CallOptions,
  type PetStoreClientOptions,
  readBaseUrl,
  readLimits,
} from './options.ts'
import { type NewPet, newPetText, type Pet, type PetStatus, readPet } from './pet-json.ts'
import { type ListPetsQuery, type PetPage, queryText, readPage } from './pet-page.ts'
import { PetStoreError } from './pet-store-error.ts'
import { send } from './send.ts'

/** Options of `createPet`. */
export interface CreatePetOptions extends CallOptions {
  /**
   * The service creates one pet for one key. Default: a random key. Pass the `idempotencyKey` of a
   * `PetStoreError` to repeat the call that failed.
   */
  readonly idempotencyKey?: string | undefined
}

/** Which pets to iterate over. */
export interface AllPetsQuery {
  /** Only pets of this status. */
  readonly status?: PetStatus | undefined
  /** The number of pets per request, from 1 to 100. Default: 100. */
  readonly pageSize?: number | undefined
  /** Where to begin: `next.cursor` of the last page of an earlier iteration. */
  readonly cursor?: string | undefined
}

/**
 * The operations of the service. Each retries after a transient failure, and rejects with a
 * `PetStoreError` when it has failed.
 */
export interface PetStoreClient {
  /** Fetches one page of pets. */
  listPets(query?: ListPetsQuery, options?: CallOptions): Promise<PetPage>
  /**
   * Iterates over the pages, to the last one. They contain each pet that existed at the start
   * exactly once.
   */
  allPages(query?: AllPetsQuery, options?: CallOptions): AsyncGenerator<PetPage, void, undefined>
  /** Iterates over the pets of all pages; fetches a page when its first pet is requested. */
  allPets(query?: AllPetsQuery, options?: CallOptions): AsyncGenerator<Pet, void, undefined>
  /** Creates one pet, regardless of the number of attempts. */
  createPet(pet: NewPet, options?: CreatePetOptions): Promise<Pet>
  /**
   * Fetches one pet.
   * @deprecated The service removes it on 5 December 2030. Use `listPets` with a status.
   */
  getPet(id: bigint | number, options?: CallOptions): Promise<Pet>
}

/** The operations by their functions; the others iterate over the pages of `listPets`. */
export const OPERATIONS: Readonly<
  Record<Exclude<keyof PetStoreClient, 'allPages' | 'allPets'>, Operation>
> = {
  listPets: { method: 'GET', successStatus: 200, isIdempotent: true },
  createPet: { method: 'POST', successStatus: 201, isIdempotent: false },
  getPet: { method: 'GET', successStatus: 200, isIdempotent: true },
}

/**
 * A client of the service at one address. It holds no connection, so it needs no closing. Throws a
 * `TypeError` for invalid options.
 */
export function createPetStoreClient(options: PetStoreClientOptions): PetStoreClient {
  const petsUrl = `${readBaseUrl(options.baseUrl)}/pets`
  const { apiKey } = options
  assertApiKey(apiKey)
  readLimits(options)
  // Looked up for each call, so that a global `fetch` that was replaced later is used.
  const fetchNow: typeof fetch = options.fetch ?? ((input, init) => fetch(input, init))

  const call = <T>(request: Call<T>, callOptions: CallOptions): Promise<T> => {
    const { timeoutMs, retries } = readLimits(callOptions, options)
    const hooks = hooksOf(callOptions, options)
    const headers = new Headers(options.headers)
    for (const [name, value] of new Headers(callOptions.headers)) headers.set(name, value)
    const attemptOptions: AttemptOptions = { apiKey, fetch: fetchNow, timeoutMs, headers, hooks }
    return send(attemptOptions, request, retries, callOptions.signal)
  }

  const client: PetStoreClient = {
    listPets: async (query = {}, callOptions = {}) => {
      const url = petsUrl + queryText(query)
      const read = (text: string, headers: Headers) => readPage(query, url, text, headers)
      return call({ operation: OPERATIONS.listPets, url, read }, callOptions)
    },

    async *allPages({ status, pageSize = 100, cursor } = {}, callOptions) {
      let query: ListPetsQuery | undefined = { limit: pageSize, status, cursor }
      let after: bigint | undefined
      while (query !== undefined) {
        const page: PetPage = await client.listPets(query, callOptions)
        after = assertPagesAscend(page, after)
        yield page
        query = page.next
      }
    },

    async *allPets(query, callOptions) {
      for await (const page of client.allPages(query, callOptions)) yield* page.pets
    },

    createPet: async (pet, { idempotencyKey = createIdempotencyKey(), ...callOptions } = {}) => {
      assertIdempotencyKey(idempotencyKey)
      const body = newPetText(pet)
      const operation = OPERATIONS.createPet
      return call({ operation, url: petsUrl, idempotencyKey, body, read: readPet }, callOptions)
    },

    getPet: async (id, callOptions = {}) => {
      const url = `${petsUrl}/${integerText('id', id)}`
      return call({ operation: OPERATIONS.getPet, url, read: readPet }, callOptions)
    },
  }
  return client
}

/**
 * Returns the last id of a page. Throws unless the page is beyond the one before: with a cache that
 * mixes pages up, the iteration would be endless.
 */
function assertPagesAscend({ pets, next }: PetPage, after: bigint | undefined): bigint | undefined {
  const first = pets[0]?.id
  const last = pets.at(-1)?.id
  const isBeyond = first === undefined ? next === undefined : after === undefined || first > after
  if (isBeyond) return last
  throw new PetStoreError(
    'unexpected_response',
    'The next page does not continue the one before it.',
    { status: 200 },
  )
}
