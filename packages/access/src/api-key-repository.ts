import type { ApiKey, NewApiKey } from './api-key.ts'

/**
 * Where API keys are kept, by their hashes.
 *
 * An adapter keeps these promises when it passes every case of
 * `apiKeyRepositoryContract` from `@pet-store/persistence-testing`.
 * Times are kept to the millisecond. What is absent comes back absent. Keys that come back are detached: changing one
 * changes nothing stored.
 *
 * Where the storage cannot be reached at present, every function rejects with an error whose `code` is
 * `persistence_unavailable`: what was asked may be asked again later.
 */
export interface ApiKeyRepository {
  /** Stores a key. Rejects where its id or its hash is taken, and then changes nothing. */
  add(key: NewApiKey): Promise<void>

  /**
   * Stores the successor of a key and lets the old one end at `until`, unless it ends earlier anyway: both, or nothing.
   * `false`, and nothing is changed, when the key has a successor already; of many at the same time one is `true`.
   * Rejects, and changes nothing, when there is no such key, or the successor's id or hash is taken.
   */
  replace(id: string, successor: NewApiKey, until: Date): Promise<boolean>

  /** The key with this id, or `undefined`. */
  find(id: string): Promise<ApiKey | undefined>

  /** The key with this hash, or `undefined`; revoked and expired ones too. */
  findByHash(sha256: string): Promise<ApiKey | undefined>

  /** Every key there ever was, the oldest first. */
  list(): Promise<readonly ApiKey[]>

  /** Revokes a key for good; a second time leaves the first time standing. `false` when there is no such key. */
  revoke(id: string, at: Date): Promise<boolean>

  /** Notes when a key was used. The latest time stays, in whatever order they come; an unknown id is no error. */
  markUsed(id: string, at: Date): Promise<void>
}
