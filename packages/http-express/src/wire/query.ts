import { parse } from 'node:querystring'
import * as z from 'zod'
import { invalidInput } from './invalid-input.ts'

/** The query parameters of a request's URL; one that is repeated is a list. Takes linear time. */
export function queryParameters(
  url: string,
): Readonly<Record<string, string | string[] | undefined>> {
  const start = url.indexOf('?')
  // The request line limits the number of names. A limit here would hide the last ones.
  return parse(start === -1 ? '' : url.slice(start + 1), '&', '=', { maxKeys: 0 })
}

const noParameters = z.strictObject({})

/** For operations without query parameters under strict handling, where any is rejected. */
export function assertNoParameters(url: string): void {
  const result = noParameters.safeParse(queryParameters(url), { reportInput: true })
  if (!result.success) throw invalidInput(result.error)
}
