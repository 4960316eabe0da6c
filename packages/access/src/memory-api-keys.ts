import type { ApiKey, NewApiKey } from './api-key.ts'
import type { ApiKeyRepository } from './api-key-repository.ts'

interface StoredKey extends NewApiKey {
  readonly revokedAt?: Date
  readonly lastUsedAt?: Date
  readonly replacedBy?: string
}

/** Keeps API keys in this process and forgets them with it: for tests, and as the shortest model for an adapter. */
export function createMemoryApiKeys(): ApiKeyRepository {
  const keys = new Map<string, StoredKey>()
  const find = (isIt: (key: StoredKey) => boolean): StoredKey | undefined => [...keys.values()].find(isIt)

  function expectFree({ id, sha256 }: NewApiKey): void {
    if (find((key) => key.id === id || key.sha256 === sha256))
      throw new Error('The id or the hash of the key is taken.')
  }

  return {
    async add(key) {
      expectFree(key)
      keys.set(key.id, structuredClone(key))
    },

    async replace(id, successor, until) {
      const old = keys.get(id)
      if (old === undefined) throw new Error('There is no such key.')
      if (old.replacedBy !== undefined) return false
      expectFree(successor)
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
      const all = [...keys.values()].map((key) => withoutHash(key))
      return all.sort((one, other) => one.createdAt.getTime() - other.createdAt.getTime())
    },

    async revoke(id, at) {
      const key = keys.get(id)
      if (key !== undefined) keys.set(id, { revokedAt: new Date(at), ...key })
      return key !== undefined
    },

    async markUsed(id, at) {
      const key = keys.get(id)
      if (key === undefined || (key.lastUsedAt !== undefined && key.lastUsedAt >= at)) return
      keys.set(id, { ...key, lastUsedAt: new Date(at) })
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
