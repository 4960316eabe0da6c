import { apiKeyState, type VerifiedKey } from './api-key.ts'
import type { ApiKeyRepository } from './api-key-repository.ts'
import { createMemoryRateLimiter } from './rate-limiter.ts'

/** Look-ups of keys in the database by their hashes, and the cache of what they have found. */
export interface KeyLookUps {
  readonly cache: ReadonlyMap<string, CachedKey>
  /** Looks a key up. All callers that want the same key at the same time share one look-up. */
  lookUp(sha256: string): Promise<VerifiedKey | undefined>
  /** The same for the client of this address, which may look up so many only. */
  lookUpFor(
    address: () => string,
    sha256: string,
  ): Promise<VerifiedKey | undefined> | 'too_many_look_ups'
}

/** A valid key in the cache. */
interface CachedKey {
  readonly verified: VerifiedKey
  /** When the look-up began, by a clock that is never set back. */
  readonly askedAtMs: number
  /** Since 1970. */
  readonly expiresAtMs: number
}

/** The maximum number of keys in the cache: those that were looked up last. */
const CAPACITY = 10_000
const LOOK_UPS = { requests: 20, windowMs: 1000 }
/** In one window. Beyond them, no further address is allowed a look-up until the next window. */
const MAX_ADDRESSES = 10_000
const REPORTS = { requests: 1, windowMs: 60_000 }

/**
 * Invalid keys are not cached, so that guessing cannot fill the cache. `onLimit` is called once a
 * minute at most.
 */
export function createKeyLookUps(
  keys: Pick<ApiKeyRepository, 'findByHash'>,
  onFound: (verified: VerifiedKey) => void,
  onLimit: (address: string) => void,
): KeyLookUps {
  const cache = new Map<string, CachedKey>()
  const running = new Map<string, Promise<VerifiedKey | undefined>>()
  const limiter = createMemoryRateLimiter(LOOK_UPS, () => performance.now(), MAX_ADDRESSES)
  const reports = createMemoryRateLimiter(REPORTS, () => performance.now())

  async function ask(sha256: string): Promise<VerifiedKey | undefined> {
    const askedAtMs = performance.now()
    const key = await keys.findByHash(sha256)
    // Inserted at the end again, so that the first entry is always the one to drop.
    cache.delete(sha256)
    if (key === undefined || apiKeyState(key, new Date()) !== 'active') return undefined
    const verified = { keyId: key.id, scopes: key.scopes }
    cache.set(sha256, {
      verified,
      askedAtMs,
      expiresAtMs: key.expiresAt?.getTime() ?? Number.POSITIVE_INFINITY,
    })
    if (cache.size > CAPACITY) cache.delete(cache.keys().next().value ?? '')
    onFound(verified)
    return verified
  }

  function lookUp(sha256: string): Promise<VerifiedKey | undefined> {
    const shared = running.get(sha256)
    if (shared !== undefined) return shared
    const verdict = ask(sha256).finally(() => running.delete(sha256))
    running.set(sha256, verdict)
    return verdict
  }

  function mayLookUp(address: string): boolean {
    const { isAllowed } = limiter.take(address)
    if (!isAllowed && reports.take('').isAllowed) onLimit(address)
    return isAllowed
  }

  return {
    cache,
    lookUp,
    lookUpFor: (address, sha256) =>
      running.has(sha256) || mayLookUp(address()) ? lookUp(sha256) : 'too_many_look_ups',
  }
}
