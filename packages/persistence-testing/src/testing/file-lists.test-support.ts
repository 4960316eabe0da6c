import type { Pet, PetQuery } from '@pet-store/domain'

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
