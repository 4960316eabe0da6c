import { type Pet, type PetStatus, readPets } from './pet-json.ts'

/** Which pets to list. */
export interface ListPetsQuery {
  /** From 1 to 100. Default: 20. */
  readonly limit?: number | undefined
  /** Only pets of this status; pets without a status are left out. */
  readonly status?: PetStatus | undefined
  /**
   * Where the page begins, from the `next` of the page before it; valid only with the same status.
   */
  readonly cursor?: string | undefined
}

/** One page of a list. */
export interface PetPage {
  /** In ascending order of `id`. */
  readonly pets: readonly Pet[]
  /** What to pass to `listPets` for the following page; absent on the last one. */
  readonly next?: ListPetsQuery & { readonly cursor: string }
}

/** The query string of a list request, with its question mark; empty for an empty query. */
export function queryText({ limit, status, cursor }: ListPetsQuery): string {
  const parameters = new URLSearchParams()
  for (const [name, value] of Object.entries({ limit, status, cursor })) {
    if (value !== undefined) parameters.set(name, String(value))
  }
  return String(parameters) && `?${parameters}`
}

/**
 * Reads the response to such a request. Throws where it is not a list, or its link leads nowhere.
 */
export function readPage(
  { cursor: ownCursor }: ListPetsQuery,
  url: string,
  text: string,
  headers: Headers,
): PetPage {
  const pets = readPets(text)
  const target = nextTarget(headers.get('link') ?? '')
  if (target === undefined) return { pets }

  // Only the query of the link is used: the key must not be sent to another address.
  const parameters = new URL(target, url).searchParams
  const limit = parameters.get('limit')
  const status = parameters.get('status')
  const cursor = parameters.get('cursor')
  // A cache that ignores the query would make the iteration endless.
  if (!cursor || cursor === ownCursor)
    throw new TypeError('The link to the next page has no new cursor.')
  const filter = {
    ...(limit && { limit: Number(limit) }),
    ...(status && { status: status as PetStatus }),
  }
  return { pets, next: { cursor, ...filter } }
}

/**
 * A link and its parameters (RFC 8288, section 3). Neither pattern contains what ends it, so that
 * parsing is linear.
 */
const LINK = /<([^<>]*)>([^<]*)/g
/** A link may have several relations; they are case-insensitive. */
const NEXT = /;\s*rel\s*=\s*(?:"(?:[^"]*\s)?next(?:\s[^"]*)?"|next(?=[\s;,]|$))/i

/** The target of the first link to the next page, as written; `undefined` if there is none. */
function nextTarget(header: string): string | undefined {
  for (const [, target, parameters = ''] of header.matchAll(LINK))
    if (NEXT.test(parameters)) return target
  return undefined
}
