import type { ApiKey, NewApiKey } from './api-key.ts'
import type { ApiKeyRepository } from './api-key-repository.ts'

type StoredKey = ApiKey & NewApiKey

/** Stores API keys in this process only: for tests, and as a model for authors of adapters. */
export function createMemoryApiKeys(): ApiKeyRepository {
  const keys = new Map<string, StoredKey>()

  function store(key: NewApiKey): void {
    const isTaken = [...keys.values()].some(
      ({ id, sha256 }) => id === key.id || sha256 === key.sha256,
    )
    if (isTaken) throw new Error('Another API key has this id or hash.')
    keys.set(key.id, structuredClone(key))
  }

  return {
    add: async (key) => store(key),

    async replace(id, successor, until) {
      const old = keys.get(id)
      if (old === undefined) throw new Error(`There is no API key ${id}.`)
      if (old.replacedBy !== undefined) return false
      store(successor)
      const expiresAt =
        old.expiresAt !== undefined && old.expiresAt < until ? old.expiresAt : new Date(until)
      keys.set(id, { ...old, expiresAt, replacedBy: successor.id })
      return true
    },

    async find(id) {
      const found = keys.get(id)
      return found && withoutHash(found)
    },

    async findByHash(sha256) {
      const found = [...keys.values()].find((key) => key.sha256 === sha256)
      return found && withoutHash(found)
    },

    async list() {
      const all = [...keys.values()].map(withoutHash)
      return all.sort((one, other) => one.createdAt.getTime() - other.createdAt.getTime())
    },

    async revoke(id, at, by) {
      const key = keys.get(id)
      if (key !== undefined && key.revokedAt === undefined) {
        keys.set(id, {
          ...key,
          revokedAt: new Date(at),
          ...(by !== undefined && { revokedBy: by }),
        })
      }
      return key !== undefined
    },

    async markUsed(uses) {
      for (const { id, at } of uses) {
        const key = keys.get(id)
        if (key === undefined || (key.lastUsedAt !== undefined && key.lastUsedAt >= at)) continue
        keys.set(id, { ...key, lastUsedAt: new Date(at) })
      }
    },
  }
}

function withoutHash(key: StoredKey): ApiKey {
  const { sha256: _, ...rest } = structuredClone(key)
  return rest
}
