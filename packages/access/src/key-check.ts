import { hash } from 'node:crypto'
import { invalid, SCOPES, type Scope, type VerifiedKey } from './api-key.ts'
import type { ApiKeyRepository } from './api-key-repository.ts'
import { isApiKeyText } from './api-key-text.ts'
import { createGuessLimit } from './guess-limit.ts'
import { createKeyLookUps } from './key-look-ups.ts'

/**
 * The result of a check: a valid key; `undefined` for one that is unknown, expired or revoked,
 * without telling which; or that the key was not checked, because its client's address tries too
 * many.
 */
export type KeyVerdict = VerifiedKey | undefined | 'too_many_look_ups'

/** Checks the key of every request. */
export interface KeyCheck {
  /**
   * `address` is called unless the key was valid a moment ago. Any other key, whatever it looks
   * like and wherever valid keys are kept, is one of the 20 that the address may try in a second;
   * beyond them the verdict is `too_many_look_ups`, even for a valid key.
   * Rejects with the error of the repository when the database must be asked and is unavailable.
   */
  check(key: string, address: () => string): KeyVerdict | Promise<KeyVerdict>
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
   * How long the result of a look-up is used. A revocation is in effect everywhere after this time.
   */
  readonly lifetimeMs: number
  /**
   * Called, once in each minute at most, when an address has tried too many keys. If that is the
   * address of a proxy, all clients behind it share one limit: the client addresses that the proxy
   * forwards should be trusted instead.
   */
  readonly onLookUpLimit?: (address: string) => void
}

/** How long a static key counts as valid a moment ago. */
const RECENT_MS = 60_000

/**
 * Makes a check that seldom asks the database: keys that were recently found valid are cached by
 * their hashes.
 */
export function createKeyCheck(options: KeyCheckOptions): KeyCheck {
  const { keys, staticKeys = [], lifetimeMs, onLookUpLimit = () => {} } = options
  const staticKeysBySha256 = verifiedBySha256(staticKeys)
  const uses = createKeyUses(keys)
  const { cache, lookUp, isRunning } = createKeyLookUps(keys, lifetimeMs, uses.record)
  const mayTry = createGuessLimit(onLookUpLimit)
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
        // Ask again before it is too old, so that steady traffic never waits. If that fails, so
        // does the next check.
        if (ageMs * 2 > lifetimeMs) lookUp(sha256).catch(() => {})
        uses.record(cached.verified)
        return cached.verified
      }
      const fixed = staticKeysBySha256.get(sha256)
      if (fixed !== undefined) {
        const nowMs = performance.now()
        const wasValid = nowMs - (staticUsesMs.get(sha256) ?? Number.NEGATIVE_INFINITY) < RECENT_MS
        if (!wasValid && !mayTry(address())) return 'too_many_look_ups'
        staticUsesMs.set(sha256, nowMs)
        return fixed
      }
      // All who want one key at the same time share its look-up.
      if (isRunning(sha256)) return lookUp(sha256)
      if (!mayTry(address())) return 'too_many_look_ups'
      return isApiKeyText(key) ? lookUp(sha256) : undefined
    },
    writeUses: uses.write,
  }
}

/** Collects when keys were last used, to be written together. */
function createKeyUses(keys: ApiKeyRepository) {
  const lastUsesMs = new Map<string, number>()
  return {
    record({ keyId }: VerifiedKey): void {
      lastUsesMs.set(keyId, Date.now())
    },
    async write(): Promise<void> {
      const uses = [...lastUsesMs].map(([id, atMs]) => ({ id, at: new Date(atMs) }))
      if (uses.length === 0) return
      await keys.markUsed(uses)
      // After a failure they are written the next time; a use that arrived meanwhile stays too.
      for (const { id, at } of uses) if (lastUsesMs.get(id) === at.getTime()) lastUsesMs.delete(id)
    },
  }
}

/**
 * SHA-256 of a key, in lower-case hexadecimal digits: the only thing that is stored of it. A fast
 * hash is enough, because 256 random bits cannot be guessed.
 */
export function hashApiKey(key: string): string {
  return hash('sha256', key)
}

/** A key from the settings, given by its hash. */
export interface StaticKey {
  /**
   * A public name for logs. Each key has its own: idempotency keys and rate limits are counted per
   * name.
   */
  readonly keyId: string
  /** The result of `hashApiKey` for the text of the key, which may be any text. */
  readonly sha256: string
  /** Default: all scopes. */
  readonly scopes?: readonly Scope[]
}

/**
 * Checks keys against a fixed list; returns `undefined` for any other text. The look-up is by hash,
 * so its timing reveals nothing about a key. Throws `api_key_invalid` when two keys have the same
 * name or the same hash.
 */
export function createStaticKeys(
  keys: readonly StaticKey[],
): (key: string) => VerifiedKey | undefined {
  const bySha256 = verifiedBySha256(keys)
  return (key) => bySha256.get(hashApiKey(key))
}

function verifiedBySha256(keys: readonly StaticKey[]): ReadonlyMap<string, VerifiedKey> {
  const bySha256 = new Map<string, VerifiedKey>()
  const names = new Set<string>()
  for (const { keyId, sha256, scopes = SCOPES } of keys) {
    const known = bySha256.get(sha256)
    if (known !== undefined)
      throw invalid(`The keys ${known.keyId} and ${keyId} have the same hash.`)
    if (names.has(keyId)) throw invalid(`Two keys are named ${keyId}. Give each key its own name.`)
    names.add(keyId)
    bySha256.set(sha256, { keyId, scopes })
  }
  return bySha256
}
