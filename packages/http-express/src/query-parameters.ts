import { z } from 'zod'
import { parseOrRefuse } from './invalid-input.ts'

/** The query parameters of a request's URL; one that is repeated is a list. */
export function queryParameters(url: string): Record<string, string | string[]> {
  // Without a prototype, so that a parameter called `constructor` is one like any other.
  const parameters: Record<string, string | string[]> = Object.create(null)
  const start = url.indexOf('?')
  if (start === -1) return parameters
  for (const [name, value] of new URLSearchParams(url.slice(start + 1))) {
    const earlier = parameters[name]
    parameters[name] = earlier === undefined ? value : [earlier, value].flat()
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
