import { attempt, type Call, type Connection } from './attempt.ts'
import {
  integerText,
  type NewPet,
  newPetText,
  type Pet,
  type PetStatus,
  readPet,
} from './pet-json.ts'
import { type ListPetsQuery, type PetPage, queryText, readPage } from './pet-page.ts'
import { PetStoreError } from './pet-store-error.ts'
import { withRetries } from './retry.ts'

/** Where the service is, and how long to wait for it. */
export interface PetStoreClientOptions {
  /** The base address, which ends in `/v1`; a trailing slash and a path before it are allowed. */
  readonly baseUrl: string | URL
  /** Sent to the base address and nowhere else. Without one the service responds `unauthorized`. */
  readonly apiKey?: string | undefined
  /** Sends the requests. Default: the global `fetch`. */
  readonly fetch?: typeof fetch | undefined
  /**
   * For one attempt, up to the end of its response. Default: 30,000. To limit all attempts
   * together, pass a signal.
   */
  readonly timeoutMs?: number | undefined
  /** The number of attempts that may follow a failed first one. Default: 5. */
  readonly retries?: number | undefined
}

/** Options of every operation. */
export interface CallOptions {
  /** Cancels the call, which rejects with the reason of the signal. */
  readonly signal?: AbortSignal | undefined
}

/** Options of `createPet`. */
export interface CreatePetOptions extends CallOptions {
  /**
   * The service creates one pet for one key. Default: a random key. Pass your own to repeat a call
   * that failed.
   */
  readonly idempotencyKey?: string | undefined
}

/** Which pets to walk through. */
export interface AllPetsQuery {
  /** Only pets of this status. */
  readonly status?: PetStatus | undefined
  /** The number of pets per request, from 1 to 100. Default: 100. */
  readonly pageSize?: number | undefined
  /** Where to begin: `next.cursor` of a page that an earlier walk has reached. */
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
   * Walks through the pages to the last one. Yields each pet that existed at the start exactly
   * once.
   */
  allPages(query?: AllPetsQuery, options?: CallOptions): AsyncGenerator<PetPage, void, undefined>
  /** Walks through the pets of all pages; fetches a page when its first pet is requested. */
  allPets(query?: AllPetsQuery, options?: CallOptions): AsyncGenerator<Pet, void, undefined>
  /** Creates one pet, regardless of the number of attempts. */
  createPet(pet: NewPet, options?: CreatePetOptions): Promise<Pet>
  /**
   * Fetches one pet.
   * @deprecated The service removes it on 5 December 2030. Use `listPets` with a status.
   */
  getPet(id: bigint | number, options?: CallOptions): Promise<Pet>
}

/**
 * A client of the service at one address. It holds no connection, so it needs no closing. Throws a
 * `TypeError` for invalid options.
 */
export function createPetStoreClient(options: PetStoreClientOptions): PetStoreClient {
  const petsUrl = `${readBaseUrl(options.baseUrl)}/pets`
  const { retries = 5 } = options
  if (!Number.isInteger(retries) || retries < 0)
    throw new TypeError('retries must be an integer from 0.')
  const connection = readConnection(options)

  const send = <T>(call: Call<T>, signal: AbortSignal | undefined): Promise<T> =>
    withRetries(() => attempt(connection, call, signal), retries, signal)

  const client: PetStoreClient = {
    listPets: async (query = {}, { signal } = {}) => {
      const url = petsUrl + queryText(query)
      return send({ url, read: (text, headers) => readPage(query, url, text, headers) }, signal)
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

    createPet: async (pet, { idempotencyKey = randomKey(), signal } = {}) => {
      // `Headers` would reject some keys too, but not name the option.
      if (!/^[\x21-\x7e]{1,255}$/.test(idempotencyKey)) {
        throw new TypeError('idempotencyKey must be 1 to 255 visible ASCII characters.')
      }
      const headers = { 'Content-Type': 'application/json', 'Idempotency-Key': idempotencyKey }
      const body = newPetText(pet)
      return send(
        { method: 'POST', url: petsUrl, headers, body, successStatus: 201, read: readPet },
        signal,
      )
    },

    getPet: async (id, { signal } = {}) =>
      send({ url: `${petsUrl}/${integerText('id', id)}`, read: readPet }, signal),
  }
  return client
}

/**
 * Returns the last id of a page. Throws unless it is beyond that of the page before: a cache that
 * mixes pages up would make a walk endless.
 */
function assertPagesAscend({ pets, next }: PetPage, after: bigint | undefined): bigint | undefined {
  const [first, last] = [pets[0]?.id, pets.at(-1)?.id]
  const isBeyond = first === undefined ? next === undefined : after === undefined || first > after
  if (isBeyond) return last
  throw new PetStoreError(
    'unexpected_response',
    'The next page does not continue the one before it.',
    { status: 200 },
  )
}

function readBaseUrl(baseUrl: string | URL): string {
  const { protocol, username, password, search, hash, origin, pathname } = new URL(baseUrl)
  if (!/^https?:$/.test(protocol) || username + password + search + hash !== '') {
    throw new TypeError(
      'baseUrl must be an http or https address without user, query and fragment.',
    )
  }
  return (origin + pathname).replace(/\/+$/, '')
}

function readConnection({
  apiKey,
  timeoutMs = 30_000,
  ...options
}: PetStoreClientOptions): Connection {
  // `Headers` would reject such a key too, but repeat it in its message.
  if (apiKey !== undefined && !/^[\x21-\x7e]+$/.test(apiKey)) {
    throw new TypeError('apiKey must be one or more visible ASCII characters.')
  }
  // Timers hold 31 bits, and fire at once for more.
  if (!(timeoutMs > 0 && timeoutMs < 2 ** 31))
    throw new TypeError('timeoutMs must be from 1 to 2147483647.')
  // Looked up for each call, so that a global `fetch` that was replaced later is used.
  return { apiKey, timeoutMs, fetch: options.fetch ?? ((input, init) => fetch(input, init)) }
}

/**
 * 128 random bits in hexadecimal digits. `crypto.randomUUID` is missing in pages that were not
 * loaded over HTTPS.
 */
function randomKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}
