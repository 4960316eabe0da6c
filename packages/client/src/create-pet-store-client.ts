import { attempt, type Call, type Connection } from './attempt.ts'
import { integerText, type NewPet, newPetText, type Pet, type PetStatus, readPet } from './pet-json.ts'
import { type ListPetsQuery, type PetPage, queryText, readPage } from './pet-page.ts'
import { randomUuid } from './random-uuid.ts'
import { sleepUnless, withRetries } from './retry.ts'

/** Where the service is, and how patient the client is with it. */
export interface PetStoreClientOptions {
  /** The base address, which ends in `/v1`; a slash behind it and any path before it are fine. */
  readonly baseUrl: string | URL
  /** Sent to the base address and nowhere else. Without one the service answers `unauthorized`. */
  readonly apiKey?: string | undefined
  /** What sends the requests instead of the global `fetch`. */
  readonly fetch?: typeof fetch | undefined
  /** For one attempt, its whole answer included, in milliseconds; 30,000 unless given. For a limit over all attempts, pass a signal. */
  readonly timeout?: number | undefined
  /** How many attempts may follow a failed first one; 5 unless given, and 0 for none. */
  readonly retries?: number | undefined
}

/** What can be said to any call. */
export interface CallOptions {
  /** Gives the call up: it rejects with the reason of the signal. */
  readonly signal?: AbortSignal | undefined
}

/** What can be said to `createPet`. */
export interface CreatePetOptions extends CallOptions {
  /** The service adds one pet under one key; a random UUID unless given. Give your own to repeat a call that failed. */
  readonly idempotencyKey?: string | undefined
}

/** Which pets to walk through. */
export interface AllPetsQuery {
  /** Only pets of this status. */
  readonly status?: PetStatus | undefined
  /** How many to fetch at a time, from 1 to 100; 100 unless given. */
  readonly pageSize?: number | undefined
  /** Where to begin: the cursor of the `next` of a page that an earlier walk had reached. */
  readonly cursor?: string | undefined
}

/**
 * The operations of the service. Each rejects with a `PetStoreError` when it failed, and repeats itself before that
 * when the reason may pass.
 */
export interface PetStoreClient {
  /** Fetches one page of pets. */
  listPets(query?: ListPetsQuery, options?: CallOptions): Promise<PetPage>
  /** Walks through the pages to the last one. Each pet that existed at the start comes exactly once. */
  allPages(query?: AllPetsQuery, options?: CallOptions): AsyncGenerator<PetPage, void, undefined>
  /** Walks through the pets of all pages, fetching a page when its first pet is asked for. */
  allPets(query?: AllPetsQuery, options?: CallOptions): AsyncGenerator<Pet, void, undefined>
  /** Adds a pet, once, however many attempts it takes. */
  createPet(pet: NewPet, options?: CreatePetOptions): Promise<Pet>
  /**
   * Fetches one pet.
   * @deprecated The service removes it on 5 December 2030. Use `listPets` with a status.
   */
  getPet(id: bigint | number, options?: CallOptions): Promise<Pet>
}

/** A client of the service at one address. It keeps nothing open. Throws a `TypeError` for options that cannot work. */
export function createPetStoreClient(options: PetStoreClientOptions): PetStoreClient {
  const petsUrl = `${readBaseUrl(options.baseUrl)}/pets`
  const { retries = 5 } = options
  if (!Number.isInteger(retries) || retries < 0) throw new TypeError('retries must be an integer from 0.')
  const connection = readConnection(options)

  const send = <T>(call: Call<T>, signal: AbortSignal | undefined): Promise<T> =>
    withRetries(() => attempt(connection, call, signal), {
      retries,
      sleep: (milliseconds) => sleepUnless(signal, milliseconds),
      random: Math.random,
    })

  const client: PetStoreClient = {
    listPets: async (query = {}, { signal } = {}) => {
      const url = petsUrl + queryText(query)
      return send({ method: 'GET', url, goodStatus: 200, read: readPage(query, url) }, signal)
    },

    async *allPages({ status, pageSize = 100, cursor } = {}, callOptions) {
      let query: ListPetsQuery | undefined = { limit: pageSize, status, cursor }
      while (query !== undefined) {
        const page: PetPage = await client.listPets(query, callOptions)
        yield page
        query = page.next
      }
    },

    async *allPets(query, callOptions) {
      for await (const page of client.allPages(query, callOptions)) yield* page.pets
    },

    createPet: async (pet, { idempotencyKey = randomUuid(), signal } = {}) => {
      const headers = { 'Content-Type': 'application/json', 'Idempotency-Key': idempotencyKey }
      return send(
        { method: 'POST', url: petsUrl, headers, body: newPetText(pet), goodStatus: 201, read: readPet },
        signal,
      )
    },

    getPet: async (id, { signal } = {}) =>
      send({ method: 'GET', url: `${petsUrl}/${integerText('id', id)}`, goodStatus: 200, read: readPet }, signal),
  }
  return client
}

function readBaseUrl(baseUrl: string | URL): string {
  const { protocol, username, password, search, hash, href } = new URL(baseUrl)
  if (!/^https?:$/.test(protocol) || username + password + search + hash !== '') {
    throw new TypeError('baseUrl must be an http or https address without user, query and fragment.')
  }
  return href.replace(/\/+$/, '')
}

function readConnection({ apiKey, timeout = 30_000, ...options }: PetStoreClientOptions): Connection {
  // `Headers` would refuse such a key too, and repeat it in its message.
  if (apiKey !== undefined && !/^[\x21-\x7e]+$/.test(apiKey)) {
    throw new TypeError('apiKey must be one or more visible ASCII characters.')
  }
  // The timers of engines take 31 bits, and fire at once for more.
  if (!(timeout > 0 && timeout < 2 ** 31)) throw new TypeError('timeout must be from 1 to 2147483647 milliseconds.')
  // Looked up at each call, so that a `fetch` that was replaced later is used.
  return { apiKey, timeout, fetch: options.fetch ?? ((input, init) => fetch(input, init)) }
}
