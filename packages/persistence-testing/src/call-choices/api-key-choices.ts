import { type NewApiKey, SCOPES } from '@pet-store/access'
import fc from 'fast-check'
import type { Model } from '../model/model.ts'
import type { Choices } from '../model/model-call.ts'
import { apiKeyCalls, hashes, idFrom, ids, references, times } from './api-key-call.ts'
import { ADD, MARK_USED, REPLACE, REVOKE } from './api-key-functions.ts'
import { find, findByHash, keyListChoices } from './api-key-reads.ts'
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

const add = apiKeyCalls(
  ADD,
  newApiKeys.map((key) => () => [key] as const),
)

const replace = apiKeyCalls(
  REPLACE,
  fc.tuple(references, newApiKeys, times).map(
    ([reference, next, until]) =>
      (model: Model) =>
        [idFrom(model, reference), next, until] as const,
  ),
)

const revoke = apiKeyCalls(
  REVOKE,
  fc.tuple(references, times, optional(keyNames)).map(
    ([reference, at, by]) =>
      (model: Model) =>
        [idFrom(model, reference), at, by] as const,
  ),
)

const markUsed = apiKeyCalls(
  MARK_USED,
  fc
    .array(fc.tuple(references, times), { maxLength: 4 })
    .map(
      (uses) => (model: Model) =>
        [uses.map(([reference, at]) => ({ id: idFrom(model, reference), at }))] as const,
    ),
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
