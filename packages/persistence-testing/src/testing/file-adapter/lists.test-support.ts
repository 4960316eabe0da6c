import { inspect } from 'node:util'
import type { ApiKey } from '@pet-store/access'
import type { Pet, PetQuery } from '@pet-store/domain'
import type { State } from './state.test-support.ts'
import { waitInSteps } from './wait.test-support.ts'

type List = (query: PetQuery) => Promise<readonly Pet[]>

/** Lists that the file adapter has read, and lists again by fault. */
export function cachedLists(
  has: (fault: string) => boolean,
  list: List,
  lastId: () => Promise<bigint>,
): List {
  const lists = new Map<string, readonly Pet[]>()
  return async (query) => {
    const { status, after } = query
    const untilAnAdd = has('caches-lists-until-an-add')
    const ofPages = has('caches-pages') && after !== undefined
    if (!untilAnAdd && !ofPages && !has('caches-lists')) return list(query)
    const name = `${status} ${untilAnAdd ? `${await lastId()} ${after}` : ofPages}`
    const found = lists.get(name) ?? (await list(query))
    lists.set(name, found)
    return found
  }
}

type Call = <Result>(method: (current: State) => Promise<Result>) => Promise<Result>

/** By fault, a read gets the result of the same read that is under way. */
export function sharedReads(has: (fault: string) => boolean) {
  const underWay = new Map<string, Promise<unknown>>()
  return async <Result>(
    name: string,
    args: readonly unknown[],
    read: () => Promise<Result>,
  ): Promise<Result> => {
    if (!has(`shares-${name}-under-way`)) return read()
    const text = inspect(args)
    const reading = underWay.get(text) ?? withLateReply(read)
    underWay.set(text, reading)
    return (await reading.finally(() => underWay.delete(text))) as Result
  }
}

async function withLateReply<Result>(read: () => Promise<Result>): Promise<Result> {
  const result = await read()
  await waitInSteps(200)
  return result
}

/** Finds API keys by their hashes, whose ids are remembered by fault. */
export function findByHashIn(
  has: (fault: string) => boolean,
  call: Call,
): (sha256: string) => Promise<ApiKey | undefined> {
  const ids = new Map<string, string>()
  return async (sha256) => {
    const id = has('remembers-ids-of-hashes') ? ids.get(sha256) : undefined
    const found = await call(({ apiKeys }) =>
      id === undefined ? apiKeys.findByHash(sha256) : apiKeys.find(id),
    )
    if (found !== undefined) ids.set(sha256, found.id)
    return found
  }
}
