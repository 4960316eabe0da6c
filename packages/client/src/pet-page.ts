import { linkTarget } from './link-header.ts'
import { type Pet, type PetStatus, readPets } from './pet-json.ts'

/** Which pets to list. */
export interface ListPetsQuery {
  /** From 1 to 100; the service takes 20 unless given. */
  readonly limit?: number | undefined
  /** Only pets of this status; those without a status are then left out. */
  readonly status?: PetStatus | undefined
  /** Where the page begins, taken from the page before it; good only with the same status. */
  readonly cursor?: string | undefined
}

/** One page of a list. */
export interface PetPage {
  /** Ascending by `id`. */
  readonly pets: readonly Pet[]
  /** What to pass to `listPets` for the following page; there is no such key on the last one. */
  readonly next?: ListPetsQuery & { readonly cursor: string }
}

/** The query of a request for a list, with its question mark; empty where nothing is asked. */
export function queryText({ limit, status, cursor }: ListPetsQuery): string {
  const parameters = new URLSearchParams()
  for (const [name, value] of Object.entries({ limit, status, cursor })) {
    if (value !== undefined) parameters.set(name, String(value))
  }
  return String(parameters) && `?${parameters}`
}

/** How the answer to such a request is read. */
export function readPage(
  { cursor: ownCursor }: ListPetsQuery,
  url: string,
): (text: string, headers: Headers) => PetPage {
  return (text, headers) => {
    const pets = readPets(text)
    const target = linkTarget(headers.get('link') ?? '', 'next')
    if (target === undefined) return { pets }

    // Of the link only the query counts. Where it leads is known, and the key must not follow it to another place.
    const parameters = new URL(target, url).searchParams
    const [limit, status, cursor] = ['limit', 'status', 'cursor'].map((name) => parameters.get(name))
    // A cache that ignores the query would send a walk round and round.
    if (!cursor || cursor === ownCursor) throw new TypeError('The link to the next page does not lead on.')
    return {
      pets,
      next: { cursor, ...(limit && { limit: Number(limit) }), ...(status && { status: status as PetStatus }) },
    }
  }
}
