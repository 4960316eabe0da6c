import { Matchers } from '@pact-foundation/pact'
import { clientHeaders, type Query } from './contract.test-support.ts'

const { eachKeyMatches, regex } = Matchers

export const REX = { name: 'Rex', categoryId: 7, status: 'available' } as const
/** The same as the client returns it. */
export const FOUND_REX = { ...REX, categoryId: 7n }
/** A pet without a status. */
export const TOM = { name: 'Tom', categoryId: 8 }
/** With a field that the service does not know. */
export const COLOURED_REX = { ...REX, colour: 'brown' }
export const DEPRECATED = {
  Deprecation: regex('^@\\d+$', '@1795219200'),
  Sunset: 'Thu, 05 Dec 2030 23:59:59 GMT',
  Link: regex('^<.+>; ?rel="deprecation".*$', '<../../docs>; rel="deprecation"; type="text/html"'),
}
export const STRICT = { Prefer: 'handling=strict' }
/** Follows the first pet of a list without a filter. */
export const CURSOR = 'AQAAAAAAAAAAAXtPM94'
/** Follows the pet 9007199254740993 of such a list. */
export const LARGE_CURSOR = 'AQAAIAAAAAAAAbTyCkI'
/** Follows the second of such pets that are available, in a list of these. */
export const STATUS_CURSOR = 'AQEAAAAAAAAAAvU9dic'
/** A key of another consumer, valid where a state has it. */
export const OTHER_API_KEY = 'pets_ContractTestsOnlyBelongsToAnotherConsumer003hdCwd'

/**
 * A pet that may have further fields, as always in Pact, but no `status`. Pact's patterns have no
 * negation.
 */
export const withoutStatus = (fields: object) =>
  eachKeyMatches({ ...fields }, regex('^(?:[^s].*|.{0,5}|.{7,})$', 'id'))

export const listing = (query?: Query, headers: Record<string, string> = clientHeaders()) =>
  ({ method: 'GET', path: '/pets', headers, ...(query && { query }) }) as const
export const getting = (id: string, more: object = {}) =>
  ({ method: 'GET', path: `/pets/${id}`, headers: clientHeaders(), ...more }) as const
export const creating = (
  idempotencyKey: string,
  body: unknown,
  more: Record<string, string> = {},
) =>
  ({
    method: 'POST',
    path: '/pets',
    headers: {
      ...clientHeaders(),
      'Content-Type': 'application/json',
      'Idempotency-Key': idempotencyKey,
      ...more,
    },
    body,
  }) as const

/** A `fetch` for the client that adds headers and a query, or replaces the body. */
export function fetchWith(
  more: Readonly<Record<string, string>>,
  query = '',
  body?: object,
): typeof fetch {
  return (input, init) => {
    const headers = new Headers(init?.headers)
    for (const [name, value] of Object.entries(more)) headers.set(name, value)
    const sent = { ...init, headers, ...(body && { body: JSON.stringify(body) }) }
    return fetch((input as string) + query, sent)
  }
}
