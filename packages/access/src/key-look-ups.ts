import { apiKeyState, type VerifiedKey } from './api-key.ts'
import type { ApiKeyRepository } from './api-key-repository.ts'

/** Look-ups of keys in the database by their hashes, and the cache of what they have found. */
export interface KeyLookUps {
  readonly cache: ReadonlyMap<string, CachedKey>
  /** Looks a key up. All callers that want the same key at the same time share one look-up. */
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

/** The maximum number of keys in the cache; it holds the ones looked up last. */
const CAPACITY = 10_000

/** Invalid keys are not cached, so that guessing cannot fill the cache. */
export function createKeyLookUps(
  keys: Pick<ApiKeyRepository, 'findByHash'>,
  onFound: (verified: VerifiedKey) => void,
): KeyLookUps {
  const cache = new Map<string, CachedKey>()
  const running = new Map<string, Promise<VerifiedKey | undefined>>()

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

  return { cache, lookUp, isRunning: (sha256) => running.has(sha256) }
}
