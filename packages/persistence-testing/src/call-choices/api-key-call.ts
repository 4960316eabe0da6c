import type { Persistence } from '@pet-store/persistence'
import fc from 'fast-check'
import { type Model, nthOf } from '../model/model.ts'
import { type Choice, type Choices, callText, NO_CALL, type Outcome } from '../model/model-call.ts'
import { hashOf } from '../test-data/new-api-keys.ts'
import { after } from '../test-data/times.ts'
import { openingOf, openings } from './openings.ts'
import { similarTexts } from './texts.ts'

/** Often the same ones, or ones that differ by a millisecond. */
export const times: fc.Arbitrary<Date> = fc
  .oneof(
    { weight: 4, arbitrary: fc.integer({ min: -3, max: 3 }).map((ms) => after(ms)) },
    { weight: 2, arbitrary: fc.integer({ min: -1e12, max: 1e12 }).map((ms) => after(ms)) },
    {
      weight: 1,
      arbitrary: fc.constantFrom(0, '1999-12-31T23:59:59.999Z', '9999-12-31T23:59:59.999Z'),
    },
  )
  .map((time) => new Date(time))

export const hashes: fc.Arbitrary<string> = fc.nat({ max: 30 }).map((number) => hashOf(`${number}`))
export const ids: fc.Arbitrary<string> = fc.oneof(
  similarTexts,
  fc.nat({ max: 20 }).map((number) => `key_${number}`),
)

/** A key that exists, mostly, by its number. */
interface Reference {
  /** It does not exist if this is 0. */
  readonly isKnown: number
  readonly number: number
  readonly other: string
}

export const references: fc.Arbitrary<Reference> = fc.record({
  isKnown: fc.nat({ max: 5 }),
  number: fc.nat(),
  other: ids,
})

export const idFrom = ({ apiKeys }: Model, { isKnown, number, other }: Reference): string =>
  (isKnown > 0 ? nthOf(apiKeys.keys(), number) : undefined) ?? other

export type Keys = NonNullable<Persistence['apiKeys']>

/** What a function of the repository does. */
export interface ApiKeyFunction<Values extends readonly unknown[]> {
  readonly name: keyof Keys
  readonly apply: (
    model: Model,
    values: readonly [...Values],
    outcome: Outcome,
    text: string,
  ) => void
  /** What a write resolves with if it changes something. */
  readonly done?: { readonly value: unknown }
}

/** A call of a function through an opening. */
export function apiKeyCall<Values extends readonly unknown[]>(
  { name, apply, done }: ApiKeyFunction<Values>,
  number: number,
  valuesOf: (model: Model) => readonly [...Values],
): Choice {
  return (before, database) => {
    const opening = openingOf(database, number)
    const given = valuesOf(before)
    const text = callText(`apiKeys${opening}.${name}`, ...given)
    return {
      text,
      async run() {
        const { apiKeys } = database.openings[opening] as Persistence
        const call = (apiKeys as Keys)[name] as (...all: unknown[]) => Promise<unknown>
        return call.apply(apiKeys, [...given])
      },
      apply: (model, outcome) => apply(model, given, outcome, text),
      ...(done && { unknownOutcomes: () => [done] }),
    }
  }
}

/** Calls of a function through any opening. */
export function apiKeyCalls<Values extends readonly unknown[]>(
  called: ApiKeyFunction<Values>,
  values: fc.Arbitrary<(model: Model) => Values>,
): Choices {
  return fc
    .tuple(openings, values)
    .map(([number, valuesOf]) => apiKeyCall(called, number, valuesOf))
}

/** A call where there are API keys. */
export const ifApiKeys =
  (call: Choice): Choice =>
  (model, database) =>
    database.openings.every(({ apiKeys }) => apiKeys !== undefined)
      ? call(model, database)
      : NO_CALL

/** A call of a function that each adapter may lack. */
export function ifThere(name: keyof Keys, call: Choice): Choice {
  return (model, database) =>
    database.openings.every(({ apiKeys }) => apiKeys?.[name] !== undefined)
      ? call(model, database)
      : NO_CALL
}
