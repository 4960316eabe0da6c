import { type NewApiKey, SCOPES } from '@pet-store/access'
import fc from 'fast-check'
import type { Model } from '../model/model.ts'
import { type Choices, expectRejected, expectValue } from '../model/model-call.ts'
import { apiKeyCall, hashes, idFrom, ids, references, times } from './api-key-call.ts'
import { find, findByHash, keyListChoices } from './api-key-reads.ts'
import { successorsOf } from './returned-api-keys.ts'
import { keyNames } from './texts.ts'

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

const isTaken = ({ apiKeys }: Model, key: NewApiKey): boolean =>
  [...apiKeys.values()].some(({ id, sha256 }) => id === key.id || sha256 === key.sha256)

const add = apiKeyCall(
  'add',
  newApiKeys.map((key) => () => [key] as const),
  (model, [key], outcome, text) => {
    if (isTaken(model, key)) return expectRejected(outcome, text)
    expectValue(outcome, undefined, text)
    model.apiKeys.set(key.id, key)
  },
  { value: undefined },
)

const replace = apiKeyCall(
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

const revoke = apiKeyCall(
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

const markUsed = apiKeyCall(
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

/** Calls on API keys that may be made at the same time; not the lists, see there. */
export const apiKeyChoicesAtOnce: Choices = fc.oneof(
  { weight: 4, arbitrary: add },
  { weight: 4, arbitrary: replace },
  { weight: 2, arbitrary: revoke },
  { weight: 2, arbitrary: markUsed },
  { weight: 2, arbitrary: find },
  { weight: 2, arbitrary: findByHash },
)

/** Every call on API keys. */
export const apiKeyChoices: Choices = fc.oneof(
  { weight: 16, arbitrary: apiKeyChoicesAtOnce },
  { weight: 3, arbitrary: keyListChoices },
)
