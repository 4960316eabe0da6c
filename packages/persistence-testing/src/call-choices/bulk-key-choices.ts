import type { NewApiKey } from '@pet-store/access'
import type { PetId } from '@pet-store/domain'
import type { StoredApiKey, StoredIdempotencyKey } from '@pet-store/persistence'
import fc from 'fast-check'
import { expectEqual } from '../case/expectations.ts'
import { type Model, nthOf } from '../model/model.ts'
import {
  type Choice,
  type Choices,
  expectRejected,
  expectValue,
  resultOf,
} from '../model/model-call.ts'
import { after } from '../test-data/times.ts'
import { mayBeDeleted } from './add-choices.ts'
import { times } from './api-key-call.ts'
import { newApiKeys } from './api-key-choices.ts'
import { type BulkFunction, bulkCalls } from './bulk-call.ts'
import { keyNames, similarTexts } from './texts.ts'

const nameOf = ({ owner, key }: { readonly owner: string; readonly key: string }) =>
  JSON.stringify([owner, key])

/** More than a sequence stores. */
const ENOUGH = 100_000

/** Those of deleted pets may be there, or not, and those that have expired. */
const READ_IDEMPOTENCY_KEYS: BulkFunction<readonly [limit: number]> = {
  name: 'readIdempotencyKeys',
  use: async (bulk, limit) => {
    const read: StoredIdempotencyKey[] = []
    for (;;) {
      const page = await bulk.readIdempotencyKeys(limit, read.at(-1))
      read.push(...page)
      if (page.length < limit || read.length > ENOUGH) return read
    }
  },
  apply: (model, _, outcome, text) => {
    const exists = ({ petId }: StoredIdempotencyKey) => model.pets.has(petId)
    const byName = (one: StoredIdempotencyKey, other: StoredIdempotencyKey) =>
      nameOf(one) < nameOf(other) ? -1 : 1
    const read = (resultOf(outcome, text) as readonly StoredIdempotencyKey[]).filter(exists)
    const names = new Set(read.map(nameOf))
    const expected = [...model.idempotencyKeys.values()].filter(
      (key) => exists(key) && (names.has(nameOf(key)) || !mayBeDeleted(key.at)),
    )
    // The time of a call without one is that of the database.
    const timed = read.map((key): StoredIdempotencyKey => {
      const at = model.idempotencyKeys.get(nameOf(key))?.at
      const isNear = Math.abs(Number(at) - Number(key.at)) < CLOCK_MS
      return at !== undefined && isNear ? { ...key, at } : key
    })
    expectEqual(timed.sort(byName), expected.sort(byName), `the keys of all pages of ${text}`)
  },
}

const readIdempotencyKeys = bulkCalls(
  READ_IDEMPOTENCY_KEYS,
  fc.constantFrom(1, 2, 50).map((limit) => () => [limit] as const),
)

/** Other times differ by hours. */
const CLOCK_MS = 30 * 60_000

export const WRITE_IDEMPOTENCY_KEYS: BulkFunction<
  readonly [keys: readonly StoredIdempotencyKey[]]
> = {
  name: 'writeIdempotencyKeys',
  use: (bulk, keys) => bulk.writeIdempotencyKeys(keys),
  apply: (model, [keys], outcome, text) => {
    expectValue(outcome, undefined, text)
    for (const key of keys) model.idempotencyKeys.set(nameOf(key), key)
  },
  done: { value: undefined },
}

const writeIdempotencyKeys = bulkCalls(
  WRITE_IDEMPOTENCY_KEYS,
  fc
    .uniqueArray(
      fc.record(
        {
          owner: similarTexts,
          key: similarTexts,
          fingerprint: fc.constantFrom('x', 'X'),
          hours: fc.integer({ min: -20, max: 20 }),
          number: fc.nat(),
        },
        { noNullPrototype: true },
      ),
      { maxLength: 4, selector: nameOf },
    )
    .map((keys) => ({ pets }: Model) => {
      if (pets.size === 0) return [[]] as const
      const stored = keys.map(({ hours, number, ...key }): StoredIdempotencyKey => {
        const at = after(hours * 3_600_000 + 1_800_000)
        return { ...key, at, petId: nthOf(pets.keys(), number) as PetId }
      })
      return [stored] as const
    }),
)

export const READ_API_KEYS: BulkFunction<readonly []> = {
  name: 'readApiKeys',
  use: (bulk) => bulk.readApiKeys(),
  apply: (model, _, outcome, text) => {
    const read = resultOf(outcome, text) as readonly StoredApiKey[]
    expectEqual(
      withEnds(read),
      withEnds([...model.apiKeys.values()]),
      `the keys of ${text}, sorted by id, with an overlapUntil no later than what it ends`,
    )
  },
}

const readApiKeys = bulkCalls(
  READ_API_KEYS,
  fc.constant(() => [] as const),
)

/**
 * Keys sorted by id. If a replaced key ends before its overlap, an adapter may store either time
 * for the end of the overlap.
 */
function withEnds(keys: readonly StoredApiKey[]): readonly StoredApiKey[] {
  const ends = new Map(keys.map(({ id, expiresAt }) => [id, expiresAt]))
  return keys
    .map((key) => {
      const { replaces, overlapUntil } = key
      const end = replaces === undefined ? undefined : ends.get(replaces)
      const isEarlier = end !== undefined && overlapUntil !== undefined && end < overlapUntil
      return isEarlier ? { ...key, overlapUntil: end } : key
    })
    .sort((one, other) => (one.id < other.id ? -1 : 1))
}

/** What bulk access stores of a key beside what it was added with. */
const uses = fc.record(
  { lastUsedAt: times, revokedAt: times, revokedBy: keyNames },
  { requiredKeys: [], noNullPrototype: true },
)

const usedApiKeys = fc
  .tuple(newApiKeys, uses)
  .map(([key, { revokedBy, ...rest }]): StoredApiKey => {
    const isRevoked = rest.revokedAt !== undefined && revokedBy !== undefined
    return { ...key, ...rest, ...(isRevoked && { revokedBy }) }
  })

/**
 * In one call, or in one for each key, as a copy writes many pages. A key that is stored already
 * keeps what it replaces, and when it ends. No key gets the hash that another one of the same call
 * had: the order of writing would count.
 */
export const WRITE_API_KEYS: BulkFunction<readonly (readonly StoredApiKey[])[]> = {
  name: 'writeApiKeys',
  use: async (bulk, ...pages) => {
    for (const page of pages) await bulk.writeApiKeys(page)
  },
  apply: (model, pages, outcome, text) => {
    const keys = pages.flat()
    if (keys.some((key) => isTaken(model, key))) return expectRejected(outcome, text)
    expectValue(outcome, undefined, text)
    for (const key of keys) model.apiKeys.set(key.id, key)
  },
}

const writeApiKeys = bulkCalls(
  WRITE_API_KEYS,
  fc
    .record({
      keys: fc.uniqueArray(usedApiKeys, { maxLength: 3, comparator: areAlike }),
      isRotation: fc.boolean(),
      areApart: fc.boolean(),
    })
    .map(({ keys, isRotation, areApart }) => (model: Model) => {
      const ids = new Set(keys.map(({ id }) => id))
      const mayBeWritten = ({ id, sha256 }: NewApiKey) =>
        [...model.apiKeys.values()].every(
          (other) => other.sha256 !== sha256 || other.id === id || !ids.has(other.id),
        )
      const stored = keys.filter(mayBeWritten).map((key): StoredApiKey => {
        const known = model.apiKeys.get(key.id)
        if (known === undefined) return key
        const { expiresAt: _, ...fields } = key
        const { replaces, overlapUntil, expiresAt } = known
        return {
          ...fields,
          ...(expiresAt && { expiresAt }),
          ...(replaces && overlapUntil && { replaces, overlapUntil }),
        }
      })
      const all = isRotation ? asRotation(model, stored) : stored
      return areApart && !all.some((key) => isTaken(model, key)) ? all.map((key) => [key]) : [all]
    }),
)

const isTaken = (model: Model, { id, sha256 }: StoredApiKey): boolean =>
  [...model.apiKeys.values()].some((other) => other.sha256 === sha256 && other.id !== id)

/** The first one replaces the second, which comes later: keys are copied in the order of ids. */
function asRotation(model: Model, keys: readonly StoredApiKey[]): readonly StoredApiKey[] {
  const [successor, replaced, ...others] = keys
  const mayBeOne =
    successor !== undefined &&
    replaced !== undefined &&
    !model.apiKeys.has(successor.id) &&
    !model.apiKeys.has(replaced.id)
  if (!mayBeOne) return keys
  const rotation = { replaces: replaced.id, overlapUntil: successor.createdAt }
  return [{ ...successor, ...rotation }, replaced, ...others]
}

function areAlike(one: NewApiKey, other: NewApiKey): boolean {
  return one.id === other.id || one.sha256 === other.sha256
}

/** Every call of bulk access on idempotency keys and API keys. */
export const bulkKeyChoices: Choices = fc.oneof(
  { weight: 1, arbitrary: readIdempotencyKeys },
  { weight: 2, arbitrary: writeIdempotencyKeys },
  { weight: 1, arbitrary: readApiKeys },
  { weight: 2, arbitrary: writeApiKeys },
)

/** Reads everything that they store. */
export const lastBulkKeyChoices: readonly Choice[] = [readIdempotencyKeys, readApiKeys].flatMap(
  (read) => fc.sample(read, { seed: 1, numRuns: 1 }),
)
