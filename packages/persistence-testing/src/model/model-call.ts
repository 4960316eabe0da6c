import { AssertionError } from 'node:assert/strict'
import { inspect, isDeepStrictEqual } from 'node:util'
import type { Pet } from '@pet-store/domain'
import type fc from 'fast-check'
import { causedBy, expectEqual } from '../case/expectations.ts'
import type { Model } from './model.ts'
import type { OpenDatabase } from './open-database.ts'

/** How a call has ended. */
export type Outcome = { readonly value: unknown } | { readonly error: unknown }

/** A call with its arguments, and what it must result in. */
export interface ModelCall {
  /** As it is written: `pets.find(3n)`. */
  readonly text: string
  readonly run: () => Promise<unknown>
  /**
   * Throws if the ports do not allow this outcome after the calls so far. Changes the model as the
   * call must have changed the database.
   */
  readonly apply: (model: Model, outcome: Outcome) => void
  /**
   * The outcomes that a call whose outcome is unknown may have had, if it has changed the database:
   * `stored` are the pets in it. Absent for a call that changes nothing.
   */
  readonly unknownOutcomes?: (before: Model, stored: readonly Pet[]) => readonly Outcome[]
  /** Whether the error of an outage needs no code, as in bulk access. */
  readonly mayRejectWithAnyError?: boolean
}

/** For an adapter that has no such call. */
export const NO_CALL: ModelCall = {
  text: 'no such call',
  run: async () => undefined,
  apply: () => {},
}

/** A call that refers to what the database holds, or to what is open, when it is made. */
export type Choice = (model: Model, database: OpenDatabase) => ModelCall

export type Choices = fc.Arbitrary<Choice>

/** Writes a call down. */
export function callText(name: string, ...values: readonly unknown[]): string {
  return `${name}(${values.map(textOf).join(', ')})`
}

export function textOf(value: unknown): string {
  return inspect(value, { depth: 5, breakLength: Number.POSITIVE_INFINITY, maxStringLength: 200 })
}

/** Expects a call to have resolved, and returns its result. */
export function resultOf(outcome: Outcome, text: string): unknown {
  if ('value' in outcome) return outcome.value
  const message = `${text} must resolve, but rejected with ${inspect(outcome.error)}`
  throw Object.assign(new AssertionError({ message }), { cause: outcome.error })
}

/** Expects a call to have resolved with this. */
export function expectValue(outcome: Outcome, expected: unknown, text: string): void {
  expectEqual(resultOf(outcome, text), expected, `the result of ${text}`)
}

/** Expects a call to have been rejected with an error of these properties, or with any error. */
export function expectRejected(
  outcome: Outcome,
  text: string,
  properties: Readonly<Record<string, unknown>> = {},
): void {
  if ('value' in outcome)
    throw new AssertionError({ message: `${text} must reject, got ${textOf(outcome.value)}` })
  const { error } = outcome
  const actual = Object.fromEntries(
    Object.keys(properties).map((name) => [name, Reflect.get(Object(error), name)]),
  )
  if (isDeepStrictEqual(actual, properties)) return
  const expectation = `the error of ${text}, which was: ${inspect(error)}`
  causedBy(error, () => expectEqual(actual, properties, expectation))
}
