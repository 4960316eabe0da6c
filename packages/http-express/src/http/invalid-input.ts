import type * as z from 'zod'
import { InexactNumber } from './exact-json.ts'
import { HttpError } from './http-error.ts'

/** Parses input with a schema. Throws one 400 that names every invalid field, its rule, and its value if that is short. */
export function parseOrReject<S extends z.ZodType>(schema: S, input: unknown): z.output<S> {
  const result = schema.safeParse(input, { reportInput: true })
  if (result.success) return result.data
  throw new HttpError('invalid_request', result.error.issues.map(sentence).join('; '))
}

/** The `error` of a schema: the rule, in words that follow the name of a field. */
export function rule(words: string): (issue: { readonly input?: unknown }) => string {
  return ({ input }) => (input === undefined ? 'is required' : words)
}

function sentence(issue: z.core.$ZodIssue): string {
  if (issue.code === 'unrecognized_keys') {
    return `unknown with handling=strict: ${shownNames(issue.keys)}`
  }
  const field = issue.path.length === 0 ? 'the body' : issue.path.join('.')
  const value = issue.input === undefined ? undefined : shown(issue.input)
  return value === undefined ? `${field} ${issue.message}` : `${field} ${issue.message}, got ${value}`
}

const MAX_NAMES = 5

/** A value if it is short and safe to repeat. */
function shown(value: unknown): string | undefined {
  if (value instanceof InexactNumber) return shortEnough(value.source)
  if (typeof value === 'bigint') return value.toString()
  if (Array.isArray(value)) return 'a list'
  if (typeof value === 'object' && value !== null) return 'an object'
  return shortEnough(JSON.stringify(value))
}

/** The first few names; a body can have thousands. */
function shownNames(names: readonly string[]): string {
  const first = names.slice(0, MAX_NAMES).map((name) => shown(name) ?? 'a name that is not repeated here')
  return [...first, ...(names.length > MAX_NAMES ? [`and ${names.length - MAX_NAMES} more`] : [])].join(', ')
}

function shortEnough(text: string): string | undefined {
  return text.length <= 60 && /^[\x20-\x7e]*$/.test(text) ? text : undefined
}
