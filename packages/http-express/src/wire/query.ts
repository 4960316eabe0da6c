import { parse } from 'node:querystring'
import * as z from 'zod'
import { invalidInput } from './invalid-input.ts'

/** Parses the query parameters of a URL, in linear time. A repeated parameter has a list. */
export function queryParameters(
  url: string,
): Readonly<Record<string, string | string[] | undefined>> {
  const start = url.indexOf('?')
  // No limit is needed, because the request line has one. A limit here would ignore the last names.
  return parse(start === -1 ? '' : url.slice(start + 1), '&', '=', { maxKeys: 0 })
}

const noParameters = z.strictObject({})

/**
 * Throws a 400 if a URL has any query parameter: for operations without query parameters, under
 * strict handling.
 */
export function assertNoParameters(url: string): void {
  const result = noParameters.safeParse(queryParameters(url), { reportInput: true })
  if (!result.success) throw invalidInput(result.error)
}
