import type { VerifiedKey } from './api-key.ts'
import type { ApiKeyRepository } from './api-key-repository.ts'
import { hashApiKey, isApiKeyText } from './api-key-text.ts'
import { createKeyLookUps } from './key-look-ups.ts'
import { createKeyUses } from './key-uses.ts'
import { createLookUpLimit } from './look-up-limit.ts'
import { type StaticKey, verifiedKeysBySha256 } from './static-keys.ts'

/**
 * The result of a check: a valid key; `undefined` for a key that is unknown, expired or revoked,
 * without telling which; or `too_many_look_ups` if the key was not checked because its client's
 * address has tried too many keys.
 */
export type KeyCheckResult = VerifiedKey | undefined | 'too_many_look_ups'

/** Checks the key of every request. */
export interface KeyCheck {
  /**
   * Checks one key. A key that was not valid a moment ago is looked up and counted. Each `address`
   * may try 20 such keys a second, whatever they look like and wherever valid keys are stored.
   * Beyond them the result is `too_many_look_ups`, even for a valid key. `address` is called only
   * for such keys.
   *
   * Rejects with the error of the repository when the database must be queried and is unavailable.
   */
  check(key: string, address: () => string): KeyCheckResult | Promise<KeyCheckResult>
  /**
   * Stores which keys were used since the last call. Call it about once a minute, and at the end.
   */
  writeUses(): Promise<void>
}

export interface KeyCheckOptions {
  readonly keys: ApiKeyRepository
  /**
   * Keys that are valid without the database. Throws `api_key_invalid` when two have the same name
   * or hash.
   */
  readonly staticKeys?: readonly StaticKey[]
  /**
   * How long the result of a look-up is used. A revocation is in effect in every process after this
   * time.
   */
  readonly lifetimeMs: number
  /**
   * Called with an address that has tried too many keys, at most once a minute. If it is the
   * address of a proxy, all clients behind it share one limit: configure the service to trust the
   * client addresses that the proxy forwards.
   */
  readonly onLookUpLimit?: (address: string) => void
}

/** How long after its last use a static key counts as valid a moment ago. */
const RECENT_MS = 60_000

/**
 * Makes a check that seldom asks the database: keys that were recently found valid are cached by
 * their hashes.
 */
export function createKeyCheck(options: KeyCheckOptions): KeyCheck {
  const { keys, staticKeys = [], lifetimeMs, onLookUpLimit = () => {} } = options
  const staticKeysBySha256 = verifiedKeysBySha256(staticKeys)
  const uses = createKeyUses(keys)
  const { cache, lookUp, isRunning } = createKeyLookUps(keys, lifetimeMs, uses.record)
  const mayTry = createLookUpLimit(onLookUpLimit)
  /** When each static key was last valid, by a clock that is never set back. */
  const staticUsesMs = new Map<string, number>()

  return {
    check(key, address) {
      const sha256 = hashApiKey(key)
      const cached = cache.get(sha256)
      if (cached !== undefined) {
        const ageMs = performance.now() - cached.askedAtMs
        if (ageMs >= lifetimeMs) return lookUp(sha256)
        if (Date.now() >= cached.expiresAtMs) return undefined
        // Look the key up again before the result is too old, so that steady traffic never waits.
        // An error is ignored: once the result is too old, the next check tries again.
        if (ageMs * 2 > lifetimeMs) lookUp(sha256).catch(() => {})
        uses.record(cached.verified)
        return cached.verified
      }
      const staticKey = staticKeysBySha256.get(sha256)
      if (staticKey !== undefined) {
        const nowMs = performance.now()
        const wasValid = nowMs - (staticUsesMs.get(sha256) ?? Number.NEGATIVE_INFINITY) < RECENT_MS
        if (!wasValid && !mayTry(address())) return 'too_many_look_ups'
        staticUsesMs.set(sha256, nowMs)
        return staticKey
      }
      // Concurrent checks of one key share its look-up, which was counted once.
      if (isRunning(sha256)) return lookUp(sha256)
      if (!mayTry(address())) return 'too_many_look_ups'
      return isApiKeyText(key) ? lookUp(sha256) : undefined
    },
    writeUses: uses.write,
  }
}
