import type * as z from 'zod'
import { HttpError } from '../response/http-error.ts'
import { InexactNumber } from './exact-json.ts'

/**
 * The 400 for input that does not fit its schema. Its message names every invalid field, its rule,
 * and its value if that is short. The schema must be parsed with `reportInput`.
 */
export function invalidInput({ issues }: z.ZodError): HttpError {
  return new HttpError('invalid_request', issues.map(sentence).join('; '))
}

/** The `error` of a schema: the rule, in words that follow the name of a field. */
export function rule(words: string): (issue: { readonly input?: unknown }) => string {
  return ({ input }) => (input === undefined ? 'is required' : words)
}

/** The `error` of a parameter's schema: the rule, or that the parameter is repeated. */
export function parameterRule(words: string): (issue: { readonly input?: unknown }) => string {
  return ({ input }) => (Array.isArray(input) ? 'must not be repeated' : words)
}

function sentence(issue: z.core.$ZodIssue): string {
  if (issue.code === 'unrecognized_keys') {
    return `unknown with handling=strict: ${shownNames(issue.keys)}`
  }
  const field = issue.path.length === 0 ? 'the body' : issue.path.join('.')
  const value = issue.input === undefined ? undefined : shown(issue.input)
  return value === undefined
    ? `${field} ${issue.message}`
    : `${field} ${issue.message}, got ${value}`
}

const MAX_NAMES = 5

/** Lists only the first few names, because a body can have thousands. */
function shownNames(names: readonly string[]): string {
  const first = names
    .slice(0, MAX_NAMES)
    .map((name) => shown(name) ?? 'a name that is not repeated here')
  const more = names.length > MAX_NAMES ? [`and ${names.length - MAX_NAMES} more`] : []
  return [...first, ...more].join(', ')
}

/** A value as text for a message; `undefined` if it is too long or not safe to repeat. */
function shown(value: unknown): string | undefined {
  if (value instanceof InexactNumber) return shortEnough(value.source)
  if (typeof value === 'bigint') return value.toString()
  if (Array.isArray(value)) return 'a list'
  if (typeof value === 'object' && value !== null) return 'an object'
  return shortEnough(JSON.stringify(value))
}

function shortEnough(text: string): string | undefined {
  return text.length <= 60 && /^[\x20-\x7e]*$/.test(text) ? text : undefined
}
