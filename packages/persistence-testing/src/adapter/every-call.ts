import assert from 'node:assert/strict'
import { inspect } from 'node:util'
import type { ApiKeyRepository } from '@pet-store/access'
import { PET_REPOSITORY_FUNCTIONS } from '@pet-store/domain'
import { API_KEY_REPOSITORY_FUNCTIONS, type Persistence } from '@pet-store/persistence'
import { expectPromise, isThenable } from '../case/expect-promise.ts'
import type { FunctionCalls } from '../case/function-calls.ts'
import { PET_CALLS } from '../pet-repository-contract.ts'
import { aNewApiKey, hashOf } from '../test-data/new-api-keys.ts'
import { after } from '../test-data/times.ts'

/** A call of a function of an open adapter. */
export interface Call {
  /** The function, and how it is called where there are several ways. */
  readonly name: string
  readonly isRead: boolean
  /** Rejects too if the function does not return a promise. */
  readonly run: () => Promise<unknown>
}

interface ApiKeyCalls extends FunctionCalls<ApiKeyRepository> {
  /** Whether a write has changed the keys of its label. */
  readonly isDone?: (keys: ApiKeyRepository, label: string) => Promise<boolean>
}

/** The compiler asks for every function. */
const API_KEYS: Readonly<Record<(typeof API_KEY_REPOSITORY_FUNCTIONS)[number], ApiKeyCalls>> = {
  add: {
    isRead: false,
    calls: { add: (keys, label) => keys.add(aNewApiKey(`${label} new`)) },
    isDone: async (keys, label) => (await keys.find(`key_${label} new`)) !== undefined,
  },
  replace: {
    isRead: false,
    calls: {
      replace: (keys, label) =>
        keys.replace(replacedId(label), aNewApiKey(`${label} next`), after(10)),
    },
    isDone: async (keys, label) =>
      (await keys.find(`key_${label} next`)) !== undefined ||
      (await keys.find(replacedId(label)))?.replacedBy !== undefined,
  },
  find: { isRead: true, calls: { find: (keys, label) => keys.find(usedId(label)) } },
  findByHash: {
    isRead: true,
    calls: { findByHash: (keys, label) => keys.findByHash(hashOf(`${label} used`)) },
  },
  list: { isRead: true, calls: { list: (keys) => keys.list() } },
  revoke: {
    isRead: false,
    calls: { revoke: (keys, label) => keys.revoke(revokedId(label), after(5), 'Ada') },
    isDone: async (keys, label) => (await keys.find(revokedId(label)))?.revokedAt !== undefined,
  },
  markUsed: {
    isRead: false,
    calls: { markUsed: (keys, label) => keys.markUsed([{ id: usedId(label), at: after(3) }]) },
    isDone: async (keys, label) => (await keys.find(usedId(label)))?.lastUsedAt !== undefined,
  },
}

const usedId = (label: string) => `key_${label} used`
const revokedId = (label: string) => `key_${label} revoked`
const replacedId = (label: string) => `key_${label} replaced`

/** Adds the API keys that the calls with this label change. */
export async function prepareCalls({ apiKeys }: Persistence, label: string): Promise<void> {
  for (const name of ['used', 'revoked', 'replaced'])
    await apiKeys?.add(aNewApiKey(`${label} ${name}`))
}

/** Those calls on API keys, of these names, with this label, that have changed something. */
export async function doneAmong(
  { apiKeys }: Persistence,
  label: string,
  names: ReadonlySet<string>,
): Promise<readonly string[]> {
  if (apiKeys === undefined) return []
  const done: string[] = []
  for (const name of API_KEY_REPOSITORY_FUNCTIONS) {
    const call = `apiKeys.${name}`
    if (names.has(call) && (await API_KEYS[name].isDone?.(apiKeys, label))) done.push(call)
  }
  return done
}

/** One call of every function of the ports, in every way, and of those beside the ports. */
export function everyCall(opened: Persistence, label: string): readonly Call[] {
  const { pets, apiKeys } = opened
  const calls = PET_REPOSITORY_FUNCTIONS.flatMap((name) =>
    callsOf('pets', pets, PET_CALLS[name], label),
  )
  if (apiKeys !== undefined) {
    for (const name of API_KEY_REPOSITORY_FUNCTIONS)
      calls.push(...callsOf('apiKeys', apiKeys, API_KEYS[name], label))
    if (apiKeys.listChangedSince !== undefined) {
      const { listChangedSince } = apiKeys
      const call = () => listChangedSince.call(apiKeys, after(0))
      calls.push(callOf('apiKeys.listChangedSince', true, call))
    }
  }
  calls.push(callOf('check', true, () => opened.check()))
  const { isMigrated, readClock } = opened
  if (isMigrated !== undefined)
    calls.push(callOf('isMigrated', true, () => isMigrated.call(opened)))
  if (readClock !== undefined) calls.push(callOf('readClock', true, () => readClock.call(opened)))
  if (opened.createRateLimiter !== undefined) {
    const limiter = opened.createRateLimiter({ requests: 100, windowMs: 3_600_000 })
    // It may return its result at once.
    const run = async () => {
      let result: unknown
      try {
        result = limiter.take(`key_${label}`)
      } catch (error) {
        assert.fail(`take must return a promise that rejects, but it threw ${inspect(error)}`)
      }
      return isThenable(result) ? expectPromise('take', () => result as Promise<unknown>) : result
    }
    calls.push({ name: 'take', isRead: false, run })
  }
  return calls
}

function callsOf<Port>(
  portName: string,
  port: Port,
  { isRead, calls }: FunctionCalls<Port>,
  label: string,
): Call[] {
  return Object.entries(calls).map(([name, call]) =>
    callOf(`${portName}.${name}`, isRead, () => call(port, label)),
  )
}

/** A call of a function that returns a promise. */
export function callOf(name: string, isRead: boolean, call: () => Promise<unknown>): Call {
  return { name, isRead, run: () => expectPromise(name, call) }
}

/** Why a call has rejected; `undefined` if it has resolved. */
export async function failureOf({ name, run }: Call): Promise<string | undefined> {
  return run().then(
    () => undefined,
    (error: unknown) => `${name} rejected with ${String(error)}`,
  )
}
