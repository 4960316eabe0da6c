import type { VerifiedKey } from './api-key.ts'
import type { ApiKeyRepository } from './api-key-repository.ts'

/** Collects when keys were last used, so that the times of many keys are written together. */
export function createKeyUses(keys: ApiKeyRepository) {
  const lastUsesMs = new Map<string, number>()
  return {
    record({ keyId }: VerifiedKey): void {
      lastUsesMs.set(keyId, Date.now())
    },
    async write(): Promise<void> {
      const uses = [...lastUsesMs].map(([id, atMs]) => ({ id, at: new Date(atMs) }))
      if (uses.length === 0) return
      await keys.markUsed(uses)
      // Uses are forgotten only after they were written; after an error they are written the next
      // time. A key that was used again meanwhile is kept.
      for (const { id, at } of uses) if (lastUsesMs.get(id) === at.getTime()) lastUsesMs.delete(id)
    },
  }
}
