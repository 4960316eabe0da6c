import { apiKeyState, type VerifiedKey } from './api-key.ts'
import type { ApiKeyRepository } from './api-key-repository.ts'

/** Look-ups of keys in the database by their hashes, and the cache of what they have found. */
export interface KeyLookUps {
  readonly cache: ReadonlyMap<string, CachedKey>
  /**
   * Looks a key up. Concurrent callers for the same key share one look-up. If it began longer ago
   * than a result may be used, they share the look-up that follows it.
   */
  lookUp(sha256: string): Promise<VerifiedKey | undefined>
  /** Whether the key is being looked up at present. */
  isRunning(sha256: string): boolean
}

/** A valid key in the cache. */
interface CachedKey {
  readonly verified: VerifiedKey
  /** When the look-up began, by a clock that is never set back. */
  readonly askedAtMs: number
  /** Milliseconds since 1970. */
  readonly expiresAtMs: number
}

interface RunningLookUp {
  readonly askedAtMs: number
  readonly result: Promise<VerifiedKey | undefined>
  /** The look-up that begins when this one has ended. */
  next?: Promise<VerifiedKey | undefined>
}

/** The maximum number of keys in the cache, which drops the key that was looked up longest ago. */
const CAPACITY = 10_000

/**
 * Looks keys up and caches those that are valid. Invalid keys are not cached, so that guessing
 * cannot fill the cache. `lifetimeMs` is how long a result may be used; `onFound` is called for
 * each valid key.
 */
export function createKeyLookUps(
  keys: Pick<ApiKeyRepository, 'findByHash'>,
  lifetimeMs: number,
  onFound: (verified: VerifiedKey) => void,
): KeyLookUps {
  const cache = new Map<string, CachedKey>()
  const running = new Map<string, RunningLookUp>()

  async function ask(sha256: string, askedAtMs: number): Promise<VerifiedKey | undefined> {
    const key = await keys.findByHash(sha256)
    // A map keeps the order of insertion: insert the key at the end again, so that the first entry
    // is always the one that was looked up longest ago.
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

  function begin(sha256: string): Promise<VerifiedKey | undefined> {
    const askedAtMs = performance.now()
    const result = ask(sha256, askedAtMs).finally(() => {
      if (running.get(sha256)?.result === result) running.delete(sha256)
    })
    running.set(sha256, { askedAtMs, result })
    return result
  }

  function lookUp(sha256: string): Promise<VerifiedKey | undefined> {
    const shared = running.get(sha256)
    if (shared === undefined) return begin(sha256)
    if (performance.now() - shared.askedAtMs < lifetimeMs) return shared.result
    // The key may have been revoked since that look-up began.
    shared.next ??= shared.result.then(
      () => begin(sha256),
      () => begin(sha256),
    )
    return shared.next
  }

  return { cache, lookUp, isRunning: (sha256) => running.has(sha256) }
}
