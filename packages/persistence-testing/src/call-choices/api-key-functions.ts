// What each function of `ApiKeyRepository` returns and changes, by the words of the port.

import type { ApiKey, NewApiKey } from '@pet-store/access'
import { expectEqual } from '../case/expectations.ts'
import type { Model } from '../model/model.ts'
import { expectRejected, expectValue, type Outcome, resultOf } from '../model/model-call.ts'
import type { ApiKeyFunction } from './api-key-call.ts'
import { keysOf, returnedKey, successorsOf } from './returned-api-keys.ts'

const isTaken = ({ apiKeys }: Model, key: NewApiKey): boolean =>
  [...apiKeys.values()].some(({ id, sha256 }) => id === key.id || sha256 === key.sha256)

export const ADD: ApiKeyFunction<readonly [key: NewApiKey]> = {
  name: 'add',
  apply: (model, [key], outcome, text) => {
    if (isTaken(model, key)) return expectRejected(outcome, text)
    expectValue(outcome, undefined, text)
    model.apiKeys.set(key.id, key)
  },
  done: { value: undefined },
}

export const REPLACE: ApiKeyFunction<readonly [id: string, next: NewApiKey, until: Date]> = {
  name: 'replace',
  apply: (model, [id, next, until], outcome, text) => {
    if (!model.apiKeys.has(id)) return expectRejected(outcome, text)
    if (successorsOf(model).has(id)) return expectValue(outcome, false, text)
    if (isTaken(model, next)) return expectRejected(outcome, text)
    expectValue(outcome, true, text)
    model.apiKeys.set(next.id, { ...next, replaces: id, overlapUntil: until })
  },
  done: { value: true },
}

export const REVOKE: ApiKeyFunction<readonly [id: string, at: Date, by: string | undefined]> = {
  name: 'revoke',
  apply: (model, [id, revokedAt, by], outcome, text) => {
    const key = model.apiKeys.get(id)
    expectValue(outcome, key !== undefined, text)
    if (key === undefined || key.revokedAt !== undefined) return
    model.apiKeys.set(id, { ...key, revokedAt, ...(by !== undefined && { revokedBy: by }) })
  },
  done: { value: true },
}

export const MARK_USED: ApiKeyFunction<
  readonly [uses: readonly { readonly id: string; readonly at: Date }[]]
> = {
  name: 'markUsed',
  apply: (model, [uses], outcome, text) => {
    expectValue(outcome, undefined, text)
    for (const { id, at } of uses) {
      const key = model.apiKeys.get(id)
      if (key === undefined || (key.lastUsedAt !== undefined && key.lastUsedAt >= at)) continue
      model.apiKeys.set(id, { ...key, lastUsedAt: at })
    }
  },
  done: { value: undefined },
}

export const FIND: ApiKeyFunction<readonly [id: string]> = {
  name: 'find',
  apply: (model, [id], outcome, text) => {
    const key = model.apiKeys.get(id)
    expectValue(outcome, returnedKey(model, key), text)
  },
}

export const FIND_BY_HASH: ApiKeyFunction<readonly [sha256: string]> = {
  name: 'findByHash',
  apply: (model, [hash], outcome, text) => {
    const key = [...model.apiKeys.values()].find(({ sha256 }) => sha256 === hash)
    expectValue(outcome, returnedKey(model, key), text)
  },
}

export const LIST: ApiKeyFunction<readonly []> = {
  name: 'list',
  apply: (model, _, outcome, text) => expectKeys(keysOf(model), outcome, text),
}

export const LIST_CHANGED_SINCE: ApiKeyFunction<readonly [since: Date]> = {
  name: 'listChangedSince',
  apply: (model, [since], outcome, text) => expectKeys(keysOf(model, since), outcome, text),
}

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
