import { parse } from 'node:querystring'
import * as z from 'zod'
import { parseOrReject } from './invalid-input.ts'

/** The query parameters of a request's URL; one that is repeated is a list. Takes linear time. */
export function queryParameters(url: string): Readonly<Record<string, string | string[] | undefined>> {
  const start = url.indexOf('?')
  // The request line limits the number of names. A limit here would hide the last ones.
  return parse(start === -1 ? '' : url.slice(start + 1), '&', '=', { maxKeys: 0 })
}

/** The `error` of a parameter's schema: the rule, or that the parameter is repeated. */
export function parameterRule(words: string): (issue: { readonly input?: unknown }) => string {
  return ({ input }) => (Array.isArray(input) ? 'must not be repeated' : words)
}

const noParameters = z.strictObject({})

/** For operations without query parameters: under strict handling any is rejected, else all are ignored. */
export function assertNoParameters(url: string, isStrict: boolean): void {
  if (isStrict) parseOrReject(noParameters, queryParameters(url))
}
