import { type Pet, type PetStatus, readPets } from './pet-json.ts'

/** Which pets to list. */
export interface ListPetsQuery {
  /** From 1 to 100. Default: 20. */
  readonly limit?: number | undefined
  /** Only pets of this status; pets without a status are left out. */
  readonly status?: PetStatus | undefined
  /** Where the page begins, from the `next` of the page before it; valid only with the same status. */
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

/** Returns a function that reads the response to such a request. */
export function readPage(
  { cursor: ownCursor }: ListPetsQuery,
  url: string,
): (text: string, headers: Headers) => PetPage {
  return (text, headers) => {
    const pets = readPets(text)
    const target = linkTarget(headers.get('link') ?? '', 'next')
    if (target === undefined) return { pets }

    // Only the query of the link is used: the key must not be sent to another address.
    const parameters = new URL(target, url).searchParams
    const [limit, status, cursor] = ['limit', 'status', 'cursor'].map((name) => parameters.get(name))
    // A cache that ignores the query would make a walk endless.
    if (!cursor || cursor === ownCursor) throw new TypeError('The link to the next page has no new cursor.')
    return {
      pets,
      next: { cursor, ...(limit && { limit: Number(limit) }), ...(status && { status: status as PetStatus }) },
    }
  }
}

/** The target of a link, and one of its parameters (RFC 8288, section 3). Both are sticky, so that parsing is linear. */
const TARGET = /[\s,]*<([^>]*)>/y
const PARAMETER = /\s*;\s*([^\s=;,]*)\s*(?:=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s;,"]*)))?/y

/** The target of the first link with this relation, as written; `undefined` where there is none. */
function linkTarget(header: string, relation: string): string | undefined {
  let position = 0
  const read = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = position
    const match = pattern.exec(header)
    if (match !== null) position = pattern.lastIndex
    return match
  }
  for (let link = read(TARGET); link !== null; link = read(TARGET)) {
    let relations: string | undefined
    for (let parameter = read(PARAMETER); parameter !== null; parameter = read(PARAMETER)) {
      const [, name = '', quoted, bare] = parameter
      if (name.toLowerCase() === 'rel') relations ??= quoted ?? bare
    }
    // One link may have several relations; they are case-insensitive.
    if (relations?.toLowerCase().split(/\s+/).includes(relation)) return link[1]
  }
  return undefined
}
