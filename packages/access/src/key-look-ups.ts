import { apiKeyState, type VerifiedKey } from './api-key.ts'
import type { ApiKeyRepository } from './api-key-repository.ts'

/** Look-ups of keys in the database by their hashes, and the cache of what they have found. */
export interface KeyLookUps {
  readonly cache: ReadonlyMap<string, CachedKey>
  /**
   * Looks a key up. All callers that want the same key at the same time share one look-up, unless
   * it began longer ago than its result may be used: then they share the next one.
   */
  lookUp(sha256: string): Promise<VerifiedKey | undefined>
  /** Whether the key is being looked up. */
  isRunning(sha256: string): boolean
}

/** A valid key in the cache. */
interface CachedKey {
  readonly verified: VerifiedKey
  /** When the look-up began, by a clock that is never set back. */
  readonly askedAtMs: number
  /** Since 1970. */
  readonly expiresAtMs: number
}

interface RunningLookUp {
  readonly askedAtMs: number
  readonly verdict: Promise<VerifiedKey | undefined>
  /** The one that begins when this one has ended. */
  next?: Promise<VerifiedKey | undefined>
}

/** The maximum number of keys in the cache; it holds the ones looked up last. */
const CAPACITY = 10_000

/**
 * Invalid keys are not cached, so that guessing cannot fill the cache. `lifetimeMs` is how long a
 * result may be used.
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

  function begin(sha256: string): Promise<VerifiedKey | undefined> {
    const askedAtMs = performance.now()
    const verdict = ask(sha256, askedAtMs).finally(() => {
      if (running.get(sha256)?.verdict === verdict) running.delete(sha256)
    })
    running.set(sha256, { askedAtMs, verdict })
    return verdict
  }

  function lookUp(sha256: string): Promise<VerifiedKey | undefined> {
    const shared = running.get(sha256)
    if (shared === undefined) return begin(sha256)
    if (performance.now() - shared.askedAtMs < lifetimeMs) return shared.verdict
    // The key may have been revoked since, and the caller may know that.
    shared.next ??= shared.verdict.then(
      () => begin(sha256),
      () => begin(sha256),
    )
    return shared.next
  }

  return { cache, lookUp, isRunning: (sha256) => running.has(sha256) }
}
