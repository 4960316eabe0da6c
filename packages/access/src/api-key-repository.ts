import type { ApiKey, NewApiKey } from './api-key.ts'

/**
 * Stores API keys by their hashes.
 *
 * An adapter fulfils this contract when it passes every case of `apiKeyRepositoryContract` from
 * `@pet-store/persistence-testing`. Times are exact to the millisecond. An absent field is absent
 * in results too. Returned keys are detached: changing one changes nothing stored. Given objects
 * are not changed; they may be frozen.
 *
 * While the database is unavailable every function rejects within a few seconds, with an error
 * whose `code` is `persistence_unavailable`, as the functions of `PetRepository` do. A change whose
 * outcome is unknown is never repeated.
 */
export interface ApiKeyRepository {
  /** Stores a key. Rejects when its id or its hash is taken, and then changes nothing. */
  add(key: NewApiKey): Promise<void>

  /**
   * Stores the successor of a key and ends the old one at `until`, unless it ends earlier anyway:
   * both, or nothing. An expired or revoked key is replaced too, and stays expired or revoked: the
   * caller decides which keys may be replaced. Returns `false` and changes nothing when the key
   * already has a successor, even if the id or hash of the new one is taken: of several calls at
   * the same time exactly one returns `true`. Otherwise it rejects and changes nothing when there
   * is no such key, or the successor's id or hash is taken.
   */
  replace(id: string, successor: NewApiKey, until: Date): Promise<boolean>

  /** Returns the key with this id, or `undefined`. */
  find(id: string): Promise<ApiKey | undefined>

  /** Returns the key with this hash, or `undefined`; revoked and expired keys included. */
  findByHash(sha256: string): Promise<ApiKey | undefined>

  /**
   * Returns every key ever stored, in the order of `createdAt`. Keys that were created at the same
   * time may be in any order, and in another one the next time.
   */
  list(): Promise<readonly ApiKey[]>

  /**
   * Returns the keys that were created, replaced or revoked at `time` or later, in the order of
   * `list`. The time at which a key is replaced is the `createdAt` of its successor. Absent in an
   * adapter that would have to read all keys for it: then callers use `list`.
   */
  listChangedSince?(time: Date): Promise<readonly ApiKey[]>

  /**
   * Revokes a key permanently, and stores when and by whom; a second call changes neither. Returns
   * `false` when there is no such key.
   */
  revoke(id: string, at: Date, by?: string): Promise<boolean>

  /**
   * Stores when keys were last used, in one write for all of them. A stored time that is later
   * stays, so the order of calls does not matter. An unknown id is not an error. Does nothing when
   * there are no uses.
   */
  markUsed(uses: readonly KeyUse[]): Promise<void>
}

/** When a key was used. */
export interface KeyUse {
  readonly id: string
  readonly at: Date
}
