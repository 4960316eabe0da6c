import { type ApiKey, type NewApiKey, SCOPES } from '@pet-store/access'
import type { Persistence, StoredApiKey } from '@pet-store/persistence'
import fc from 'fast-check'
import { expectEqual } from '../case/expectations.ts'
import { hashOf } from '../new-api-keys.ts'
import { type Model, nthOf } from '../sequence-cases/model.ts'
import {
  type Choice,
  type Choices,
  callText,
  expectRejected,
  expectValue,
  NO_CALL,
  type Outcome,
  resultOf,
} from '../sequence-cases/model-call.ts'
import { after } from '../times.ts'
import { openingOf, openings } from './openings.ts'
import { keyNames, similarTexts } from './texts.ts'

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

const hashes = fc.nat({ max: 30 }).map((number) => hashOf(`${number}`))
const ids = fc.oneof(
  similarTexts,
  fc.nat({ max: 20 }).map((number) => `key_${number}`),
)

const optional = <Value>(arbitrary: fc.Arbitrary<Value>) => fc.option(arbitrary, { nil: undefined })

/** An optional field is absent, not `undefined`. */
export const newApiKeys: fc.Arbitrary<NewApiKey> = fc.record(
  {
    id: ids,
    sha256: hashes,
    name: keyNames,
    scopes: fc.subarray([...SCOPES]),
    createdAt: times,
    createdBy: keyNames,
    expiresAt: times,
  },
  {
    requiredKeys: ['id', 'sha256', 'name', 'scopes', 'createdAt'],
    // They are easier to read.
    noNullPrototype: true,
  },
)

/** Each key that replaces another one, by the id of that one. */
function successorsOf({ apiKeys }: Model): ReadonlyMap<string, StoredApiKey> {
  const successors = new Map<string, StoredApiKey>()
  for (const key of apiKeys.values())
    if (key.replaces !== undefined) successors.set(key.replaces, key)
  return successors
}

/** A stored key as the repository returns it. */
function apiKeyOf(stored: StoredApiKey, successor: StoredApiKey | undefined): ApiKey {
  const { sha256: _, replaces: __, overlapUntil: ___, ...fields } = stored
  if (successor === undefined) return fields
  const until = successor.overlapUntil as Date
  const isFirst = stored.expiresAt === undefined || until < stored.expiresAt
  return { ...fields, ...(isFirst && { expiresAt: until }), replacedBy: successor.id }
}

/** As the repository returns them: the stored keys, or those that were changed since a time. */
export function keysOf(model: Model, since?: Date): readonly ApiKey[] {
  const successors = successorsOf(model)
  return [...model.apiKeys.values()].flatMap((key) => {
    const successor = successors.get(key.id)
    const times = [key.createdAt, key.revokedAt, successor?.createdAt]
    const isListed =
      since === undefined || times.some((time) => time !== undefined && time >= since)
    return isListed ? [apiKeyOf(key, successor)] : []
  })
}

const isTaken = ({ apiKeys }: Model, key: NewApiKey): boolean =>
  [...apiKeys.values()].some(({ id, sha256 }) => id === key.id || sha256 === key.sha256)

/** A key that exists, mostly, by its number. */
const references = fc.record({ isKnown: fc.nat({ max: 5 }), number: fc.nat(), other: ids })
type Reference = typeof references extends fc.Arbitrary<infer Value> ? Value : never

const idFrom = ({ apiKeys }: Model, { isKnown, number, other }: Reference): string =>
  (isKnown > 0 ? nthOf(apiKeys.keys(), number) : undefined) ?? other

type Keys = NonNullable<Persistence['apiKeys']>

/** A call of a function of the repository. A write resolves with `done` if it changes something. */
function choice<Values extends readonly unknown[]>(
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

const add = choice(
  'add',
  newApiKeys.map((key) => () => [key] as const),
  (model, [key], outcome, text) => {
    if (isTaken(model, key)) return expectRejected(outcome, text)
    expectValue(outcome, undefined, text)
    model.apiKeys.set(key.id, key)
  },
  { value: undefined },
)

const replace = choice(
  'replace',
  fc.tuple(references, newApiKeys, times).map(
    ([reference, next, until]) =>
      (model: Model) =>
        [idFrom(model, reference), next, until] as const,
  ),
  (model, [id, next, until], outcome, text) => {
    if (!model.apiKeys.has(id)) return expectRejected(outcome, text)
    if (successorsOf(model).has(id)) return expectValue(outcome, false, text)
    if (isTaken(model, next)) return expectRejected(outcome, text)
    expectValue(outcome, true, text)
    model.apiKeys.set(next.id, { ...next, replaces: id, overlapUntil: until })
  },
  { value: true },
)

const revoke = choice(
  'revoke',
  fc.tuple(references, times, optional(keyNames)).map(
    ([reference, at, by]) =>
      (model: Model) =>
        [idFrom(model, reference), at, by] as const,
  ),
  (model, [id, revokedAt, by], outcome, text) => {
    const key = model.apiKeys.get(id)
    expectValue(outcome, key !== undefined, text)
    if (key === undefined || key.revokedAt !== undefined) return
    model.apiKeys.set(id, { ...key, revokedAt, ...(by !== undefined && { revokedBy: by }) })
  },
  { value: true },
)

const markUsed = choice(
  'markUsed',
  fc
    .array(fc.tuple(references, times), { maxLength: 4 })
    .map(
      (uses) => (model: Model) =>
        [uses.map(([reference, at]) => ({ id: idFrom(model, reference), at }))] as const,
    ),
  (model, [uses], outcome, text) => {
    expectValue(outcome, undefined, text)
    for (const { id, at } of uses) {
      const key = model.apiKeys.get(id)
      if (key === undefined || (key.lastUsedAt !== undefined && key.lastUsedAt >= at)) continue
      model.apiKeys.set(id, { ...key, lastUsedAt: at })
    }
  },
  { value: undefined },
)

const find = choice(
  'find',
  references.map((reference) => (model: Model) => [idFrom(model, reference)] as const),
  (model, [id], outcome, text) => {
    const key = model.apiKeys.get(id)
    expectValue(outcome, key && apiKeyOf(key, successorsOf(model).get(key.id)), text)
  },
)

const findByHash = choice(
  'findByHash',
  fc
    .tuple(fc.nat({ max: 5 }), fc.nat(), hashes)
    .map(([isKnown, number, other]) => (model: Model) => {
      const known = isKnown > 0 ? nthOf(model.apiKeys.values(), number)?.sha256 : undefined
      return [known ?? other] as const
    }),
  (model, [hash], outcome, text) => {
    const key = [...model.apiKeys.values()].find(({ sha256 }) => sha256 === hash)
    expectValue(outcome, key && apiKeyOf(key, successorsOf(model).get(key.id)), text)
  },
)

const listAll = choice(
  'list',
  fc.constant(() => [] as const),
  (model, _, outcome, text) => expectKeys(keysOf(model), outcome, text),
)

const listChangedSince = (since: fc.Arbitrary<Date>) =>
  choice(
    'listChangedSince',
    since.map((time) => () => [time] as const),
    (model, [time], outcome, text) => {
      expectKeys(keysOf(model, time), outcome, text)
    },
  )

/** Keys that were created at the same time may be in any order. */
function expectKeys(expected: readonly ApiKey[], outcome: Outcome, text: string): void {
  const keys = [...(resultOf(outcome, text) as readonly ApiKey[])]
  expectEqual(
    keys.every(({ createdAt }, index) => createdAt >= (keys[index - 1]?.createdAt ?? createdAt)),
    true,
    `whether the keys of ${text} are in the order of createdAt`,
  )
  const byId = (one: ApiKey, other: ApiKey) => (one.id < other.id ? -1 : 1)
  expectEqual(keys.sort(byId), expected.toSorted(byId), `the keys of ${text}, sorted by id`)
}

/** A call that an adapter need not have. */
const changes: Choices = fc.tuple(listChangedSince(times), listAll).map(
  ([ofChanges, ofAll]): Choice =>
    (model, database) =>
      database.openings.every(({ apiKeys }) => apiKeys?.listChangedSince !== undefined)
        ? ofChanges(model, database)
        : ofAll(model, database),
)

/** Calls on API keys that may be made at the same time; not the lists, see there. */
export const apiKeyChoicesAtOnce: Choices = fc.oneof(
  { weight: 4, arbitrary: add },
  { weight: 4, arbitrary: replace },
  { weight: 2, arbitrary: revoke },
  { weight: 2, arbitrary: markUsed },
  { weight: 2, arbitrary: find },
  { weight: 2, arbitrary: findByHash },
)

export const keyListChoices: Choices = fc.oneof(listAll, changes)

/** Reads every key, through either opening, and the changes since each of the times between. */
export const lastKeyChoices: readonly Choice[] = [
  ...fc.sample(listAll, { seed: 1, numRuns: 4 }).map((list) => ifThere('list', list)),
  ...[-3, -2, -1, 0, 1, 2, 3, 4].flatMap((ms) =>
    fc
      .sample(listChangedSince(fc.constant(after(ms))), { seed: 1, numRuns: 1 })
      .map((list) => ifThere('listChangedSince', list)),
  ),
]

function ifThere(name: keyof Keys, call: Choice): Choice {
  return (model, database) =>
    database.openings.every(({ apiKeys }) => apiKeys?.[name] !== undefined)
      ? call(model, database)
      : NO_CALL
}

/** Every call on API keys. */
export const apiKeyChoices: Choices = fc.oneof(
  { weight: 16, arbitrary: apiKeyChoicesAtOnce },
  { weight: 3, arbitrary: keyListChoices },
)

/** A call where there are API keys. */
export const ifApiKeys =
  (call: Choice): Choice =>
  (model, database) =>
    database.openings.every(({ apiKeys }) => apiKeys !== undefined)
      ? call(model, database)
      : NO_CALL
