import type { ApiKey } from '@pet-store/access'
import type { Persistence, StoredApiKey } from '@pet-store/persistence'
import fc from 'fast-check'
import { expectEqual } from '../case/expectations.ts'
import { inGroups } from '../case/in-groups.ts'
import { type Model, nthOf } from '../model/model.ts'
import {
  type Choice,
  type Choices,
  callText,
  expectValue,
  type Outcome,
  resultOf,
} from '../model/model-call.ts'
import { after } from '../test-data/times.ts'
import {
  apiKeyCall,
  hashes,
  idFrom,
  ifApiKeys,
  ifThere,
  references,
  times,
} from './api-key-call.ts'
import { openingOf } from './openings.ts'
import { keysOf, returnedKey } from './returned-api-keys.ts'
import { someOf } from './some-of.ts'

export const find: Choices = apiKeyCall(
  'find',
  references.map((reference) => (model: Model) => [idFrom(model, reference)] as const),
  (model, [id], outcome, text) => {
    const key = model.apiKeys.get(id)
    expectValue(outcome, returnedKey(model, key), text)
  },
)

export const findByHash: Choices = apiKeyCall(
  'findByHash',
  fc
    .tuple(fc.nat({ max: 5 }), fc.nat(), hashes)
    .map(([isKnown, number, other]) => (model: Model) => {
      const known = isKnown > 0 ? nthOf(model.apiKeys.values(), number)?.sha256 : undefined
      return [known ?? other] as const
    }),
  (model, [hash], outcome, text) => {
    const key = [...model.apiKeys.values()].find(({ sha256 }) => sha256 === hash)
    expectValue(outcome, returnedKey(model, key), text)
  },
)

const listAll = apiKeyCall(
  'list',
  fc.constant(() => [] as const),
  (model, _, outcome, text) => expectKeys(keysOf(model), outcome, text),
)

const listChangedSince = (since: fc.Arbitrary<Date>) =>
  apiKeyCall(
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

export const keyListChoices: Choices = fc.oneof(listAll, changes)

/** Finds keys one by one, by their ids and by their hashes; of very many some. */
const findEach =
  (number: number): Choice =>
  (before, database) => {
    const opening = openingOf(database, number)
    const some = someOf(before.apiKeys.values())
    const text = callText(`apiKeys${opening}.find and findByHash`, ...some.map(({ id }) => id))
    return {
      text,
      run: () =>
        inGroups(some.length, async (index) => {
          const { id, sha256 } = some[index] as StoredApiKey
          const { apiKeys } = database.openings[opening] as Persistence
          return [await apiKeys?.find(id), await apiKeys?.findByHash(sha256)]
        }),
      apply(model, outcome) {
        const found = some.map(({ id, sha256 }) => {
          const hasHash = (key: StoredApiKey) => key.sha256 === sha256
          const byHash = [...model.apiKeys.values()].find(hasHash)
          return [returnedKey(model, model.apiKeys.get(id)), returnedKey(model, byHash)]
        })
        expectValue(outcome, found, text)
      },
    }
  }

/** Reads every key, through either opening, and the changes since each of the times between. */
export const lastKeyChoices: readonly Choice[] = [
  ...fc.sample(listAll, { seed: 1, numRuns: 4 }).map((list) => ifThere('list', list)),
  ...[-3, -2, -1, 0, 1, 2, 3, 4].flatMap((ms) =>
    fc
      .sample(listChangedSince(fc.constant(after(ms))), { seed: 1, numRuns: 1 })
      .map((list) => ifThere('listChangedSince', list)),
  ),
  ...[0, 1].map((number) => ifApiKeys(findEach(number))),
]
