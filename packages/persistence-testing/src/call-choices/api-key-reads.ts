import type { Persistence, StoredApiKey } from '@pet-store/persistence'
import fc from 'fast-check'
import { inGroups } from '../case/in-groups.ts'
import { type Model, nthOf } from '../model/model.ts'
import { type Choice, type Choices, callText, expectValue } from '../model/model-call.ts'
import { after } from '../test-data/times.ts'
import {
  apiKeyCalls,
  hashes,
  idFrom,
  ifApiKeys,
  ifThere,
  references,
  times,
} from './api-key-call.ts'
import { FIND, FIND_BY_HASH, LIST, LIST_CHANGED_SINCE } from './api-key-functions.ts'
import { openingOf } from './openings.ts'
import { returnedKey } from './returned-api-keys.ts'
import { someOf } from './some-of.ts'

export const find: Choices = apiKeyCalls(
  FIND,
  references.map((reference) => (model: Model) => [idFrom(model, reference)] as const),
)

export const findByHash: Choices = apiKeyCalls(
  FIND_BY_HASH,
  fc
    .tuple(fc.nat({ max: 5 }), fc.nat(), hashes)
    .map(([isKnown, number, other]) => (model: Model) => {
      const known = isKnown > 0 ? nthOf(model.apiKeys.values(), number)?.sha256 : undefined
      return [known ?? other] as const
    }),
)

const listAll = apiKeyCalls(
  LIST,
  fc.constant(() => []),
)

const listChangedSince = (since: fc.Arbitrary<Date>) =>
  apiKeyCalls(
    LIST_CHANGED_SINCE,
    since.map((time) => () => [time]),
  )

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
