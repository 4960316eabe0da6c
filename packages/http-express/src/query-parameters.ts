import { z } from 'zod'
import { parseOrRefuse } from './invalid-input.ts'

type QueryParameters = Record<string, string | string[]>

/** Encoded, or a name that an ordinary object has no room for. */
const OUT_OF_THE_ORDINARY = /[%+]|__proto__/

/** The query parameters of a request's URL; one that is repeated is a list. */
export function queryParameters(url: string): QueryParameters {
  const start = url.indexOf('?')
  const query = start === -1 ? '' : url.slice(start + 1)
  // An object without a prototype, and what decodes, take five times as long as a usual query needs.
  if (OUT_OF_THE_ORDINARY.test(query)) return collected(new URLSearchParams(query), Object.create(null))
  const pairs = query.split('&').filter((pair) => pair !== '')
  return collected(pairs.map(nameAndValue), {})
}

function nameAndValue(pair: string): [name: string, value: string] {
  const end = pair.indexOf('=')
  return end === -1 ? [pair, ''] : [pair.slice(0, end), pair.slice(end + 1)]
}

function collected(pairs: Iterable<[name: string, value: string]>, parameters: QueryParameters): QueryParameters {
  for (const [name, value] of pairs) {
    parameters[name] = Object.hasOwn(parameters, name) ? [parameters[name] ?? [], value].flat() : value
  }
  return parameters
}

/** The `error` of a parameter's schema: the rule, unless the parameter is repeated. */
export function parameterRule(words: string): (issue: { readonly input?: unknown }) => string {
  return ({ input }) => (Array.isArray(input) ? 'must not be repeated' : words)
}

const noParameters = z.strictObject({})

/** For operations that know no query parameter: under strict handling any is refused, else all are ignored. */
export function expectNoParameters(url: string, isStrict: boolean): void {
  if (isStrict) parseOrRefuse(noParameters, queryParameters(url))
}
