import { apiKeyState, type VerifiedKey } from './api-key.ts'
import type { ApiKeyRepository } from './api-key-repository.ts'
import { hashApiKey, isApiKeyText } from './api-key-text.ts'
import { createMemoryRateLimiter } from './rate-limiter.ts'
import { type StaticKey, verifiedBySha256 } from './static-keys.ts'

/**
 * The result of a check: a valid key; `undefined` for one that is unknown, expired or revoked, without telling which; or
 * that the key was not looked up, because its client's address tries too many.
 */
export type KeyVerdict = VerifiedKey | undefined | 'too_many_look_ups'

/** Checks the key of every request. */
export interface KeyCheck {
  /**
   * `address` is called only when the database must be asked:
   * beyond 20 look-ups a second from one client address the verdict is `too_many_look_ups`.
   * Rejects with the error of the repository when the database must be asked and is unavailable.
   */
  check(key: string, address: () => string): KeyVerdict | Promise<KeyVerdict>
  /** Stores which keys were used since the last call. Call it about once a minute, and at the end. */
  writeUses(): Promise<void>
}

export interface KeyCheckOptions {
  readonly keys: ApiKeyRepository
  /** Keys that are valid without the database. Throws `api_key_invalid` when two have the same name or hash. */
  readonly staticKeys?: readonly StaticKey[]
  /** How long the result of a look-up is used. A revocation is in effect everywhere after this time. */
  readonly lifetimeMs: number
  /**
   * Called, once in each minute at most, when an address has used up its look-ups. If that is the address of a proxy, all
   * clients behind it share one limit: the client addresses that the proxy forwards should be trusted instead.
   */
  readonly onLookUpLimit?: (address: string) => void
}

/** The maximum number of keys in the cache: those that were looked up last. */
const CAPACITY = 10_000
const LOOK_UPS = { requests: 20, windowMs: 1000 }
/** In one window. Beyond them, no further address is allowed a look-up until the next window. */
const MAX_ADDRESSES = 10_000
const REPORTS = { requests: 1, windowMs: 60_000 }

/** A valid key in the cache. */
interface CachedKey {
  readonly verified: VerifiedKey
  /** When the look-up began, by a clock that is never set back. */
  readonly askedAtMs: number
  /** Since 1970. */
  readonly expiresAtMs: number
}

/** Makes a check that seldom asks the database: keys that were recently found valid are cached by their hashes. */
export function createKeyCheck(options: KeyCheckOptions): KeyCheck {
  const { keys, staticKeys = [], lifetimeMs, onLookUpLimit = () => {} } = options
  const fixed = verifiedBySha256(staticKeys)
  const uses = createKeyUses(keys)
  const { cache, running, lookUp } = createLookUps(keys, uses.record)
  const mayLookUp = createLookUpLimit(onLookUpLimit)

  return {
    check(key, address) {
      const sha256 = hashApiKey(key)
      const cached = cache.get(sha256)
      if (cached !== undefined) {
        const ageMs = performance.now() - cached.askedAtMs
        if (ageMs >= lifetimeMs) return lookUp(sha256)
        if (Date.now() >= cached.expiresAtMs) return undefined
        // Ask again before it is too old, so that steady traffic never waits. If that fails, so does the next check.
        if (ageMs * 2 > lifetimeMs) lookUp(sha256).catch(() => {})
        uses.record(cached.verified)
        return cached.verified
      }
      const known = fixed.get(sha256)
      if (known !== undefined) return known
      if (!isApiKeyText(key)) return undefined
      if (!running.has(sha256) && !mayLookUp(address())) return 'too_many_look_ups'
      return lookUp(sha256)
    },
    writeUses: uses.write,
  }
}

/** Look-ups in the database, and the cache of what they have found. Invalid keys are not cached, so that guessing cannot fill it. */
function createLookUps(keys: ApiKeyRepository, onFound: (verified: VerifiedKey) => void) {
  const cache = new Map<string, CachedKey>()
  const running = new Map<string, Promise<VerifiedKey | undefined>>()

  async function ask(sha256: string): Promise<VerifiedKey | undefined> {
    const askedAtMs = performance.now()
    const key = await keys.findByHash(sha256)
    // Inserted at the end again, so that the first entry is always the one to drop.
    cache.delete(sha256)
    if (key === undefined || apiKeyState(key, new Date()) !== 'active') return undefined
    const verified = { keyId: key.id, scopes: key.scopes }
    cache.set(sha256, { verified, askedAtMs, expiresAtMs: key.expiresAt?.getTime() ?? Number.POSITIVE_INFINITY })
    if (cache.size > CAPACITY) cache.delete(cache.keys().next().value ?? '')
    onFound(verified)
    return verified
  }

  /** All callers that want the same key at the same time share one look-up. */
  function lookUp(sha256: string): Promise<VerifiedKey | undefined> {
    const shared = running.get(sha256)
    if (shared !== undefined) return shared
    const verdict = ask(sha256).finally(() => running.delete(sha256))
    running.set(sha256, verdict)
    return verdict
  }

  return { cache, running, lookUp }
}

/** Limits the look-ups of each client address, and reports an address that has used up its own, once a minute. */
function createLookUpLimit(onLookUpLimit: (address: string) => void): (address: string) => boolean {
  const lookUps = createMemoryRateLimiter(LOOK_UPS, () => performance.now(), MAX_ADDRESSES)
  const reports = createMemoryRateLimiter(REPORTS, () => performance.now())
  return (address) => {
    const { isAllowed } = lookUps.take(address)
    if (!isAllowed && reports.take('').isAllowed) onLookUpLimit(address)
    return isAllowed
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
