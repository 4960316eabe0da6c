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

/** A call of a function of the repository. A write resolves with `done` if it changes something. */
export function apiKeyCall<Values extends readonly unknown[]>(
  name: keyof Keys,
  values: fc.Arbitrary<(model: Model) => Values>,
  apply: (model: Model, values: Values, outcome: Outcome, text: string) => void,
  done?: { readonly value: unknown },
): Choices {
  return fc.tuple(openings, values).map(
    ([number, valuesOf]): Choice =>
      (before, database) => {
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
      },
  )
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
