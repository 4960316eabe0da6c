import type { ApiKey } from '@pet-store/access'
import type { StoredApiKey } from '@pet-store/persistence'
import type { Model } from '../model/model.ts'

/** Each key that replaces another one, by the id of that one. */
export function successorsOf({ apiKeys }: Model): ReadonlyMap<string, StoredApiKey> {
  const successors = new Map<string, StoredApiKey>()
  for (const key of apiKeys.values())
    if (key.replaces !== undefined) successors.set(key.replaces, key)
  return successors
}

/** A stored key as the repository returns it. */
export function returnedKey(model: Model, stored: StoredApiKey | undefined): ApiKey | undefined {
  return stored && apiKeyOf(stored, successorsOf(model).get(stored.id))
}

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
