import type { ApiKey, NewApiKey } from './api-key.ts'
import type { ApiKeyRepository } from './api-key-repository.ts'

type StoredKey = ApiKey & NewApiKey

/** Stores API keys in this process only: for tests, and as the shortest complete adapter. */
export function createMemoryApiKeys(): ApiKeyRepository {
  const keys = new Map<string, StoredKey>()
  const find = (matches: (key: StoredKey) => boolean): StoredKey | undefined => [...keys.values()].find(matches)

  function assertFree({ id, sha256 }: NewApiKey): void {
    if (find((key) => key.id === id || key.sha256 === sha256)) throw new Error('The id or the hash is taken.')
  }

  return {
    async add(key) {
      assertFree(key)
      keys.set(key.id, structuredClone(key))
    },

    async replace(id, successor, until) {
      const old = keys.get(id)
      if (old === undefined) throw new Error('There is no such key.')
      if (old.replacedBy !== undefined) return false
      assertFree(successor)
      const expiresAt = old.expiresAt !== undefined && old.expiresAt < until ? old.expiresAt : new Date(until)
      keys.set(id, { ...old, expiresAt, replacedBy: successor.id })
      keys.set(successor.id, structuredClone(successor))
      return true
    },

    async find(id) {
      return published(keys.get(id))
    },

    async findByHash(sha256) {
      return published(find((key) => key.sha256 === sha256))
    },

    async list() {
      const all = [...keys.values()].map(withoutHash)
      return all.sort((one, other) => one.createdAt.getTime() - other.createdAt.getTime())
    },

    async revoke(id, at, by) {
      const key = keys.get(id)
      if (key !== undefined && key.revokedAt === undefined) {
        keys.set(id, { ...key, revokedAt: new Date(at), ...(by !== undefined && { revokedBy: by }) })
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

function published(key: StoredKey | undefined): ApiKey | undefined {
  return key && withoutHash(key)
}

function withoutHash(key: StoredKey): ApiKey {
  const { sha256: _, ...rest } = structuredClone(key)
  return rest
}
