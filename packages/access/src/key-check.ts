import { apiKeyState } from './api-key.ts'
import type { ApiKeyRepository } from './api-key-repository.ts'
import { hashApiKey, isApiKeyText } from './api-key-text.ts'
import { KeyCache, type RememberedKey } from './key-cache.ts'
import { KeyUses } from './key-uses.ts'
import { createLookUpLimit } from './look-up-limit.ts'
import type { VerifiedKey } from './static-keys.ts'

/** What a check says of a key: who it is, nothing for one that is not good, or that it was not looked at. */
export type KeyVerdict = VerifiedKey | undefined | 'too_many_look_ups'

/** Checks keys on behalf of every request. */
export interface KeyCheck {
  /**
   * Nothing tells an unknown key from an expired or revoked one. `address` is asked for only where storage has to be:
   * beyond 20 look-ups a second from one address the verdict is `too_many_look_ups`.
   * Rejects when storage has to be asked and does not answer.
   */
  check(key: string, address: () => string): KeyVerdict | Promise<KeyVerdict>
  /** Lets a revocation take effect in this process at once. */
  forget(keyId: string): void
  /** Tells storage which keys were used since the last time. To be called about once a minute, and at the end. */
  writeUses(): Promise<void>
}

export interface KeyCheckOptions {
  /** Where issued keys are kept. */
  readonly keys: ApiKeyRepository
  /** Keys besides: what `createStaticKeys` gives. */
  readonly staticKeys?: (key: string) => VerifiedKey | undefined
  /** For how long an answer of storage is good, in milliseconds: after so long a revocation is in effect everywhere. */
  readonly lifetime: number
  /** The most keys to remember; 10,000 unless said otherwise. */
  readonly capacity?: number
  /** Milliseconds since 1970. */
  readonly now?: () => number
}

const CAPACITY = 10_000
const LOOK_UPS_PER_SECOND = 20

/** A check that asks storage seldom: keys seen lately are remembered by their hashes. */
export function createKeyCheck(options: KeyCheckOptions): KeyCheck {
  const { keys, staticKeys = () => undefined, lifetime, capacity = CAPACITY, now = Date.now } = options
  const cache = new KeyCache(capacity)
  const uses = new KeyUses()
  const mayLookUp = createLookUpLimit(LOOK_UPS_PER_SECOND, now)
  const running = new Map<string, Promise<VerifiedKey | undefined>>()
  /** Static keys that were seen, by their hashes: never more than there are. */
  const fixed = new Map<string, VerifiedKey>()

  /** Asks storage. All who want the same key at the same time share one look-up. */
  function lookUp(sha256: string): Promise<VerifiedKey | undefined> {
    const shared = running.get(sha256)
    if (shared !== undefined) return shared
    const remember = cache.begin(sha256)
    const askedAt = now()
    const answer = findGoodKey(keys, sha256, askedAt)
      .then((found) => {
        remember(found)
        return found && used(found)
      })
      .finally(() => running.delete(sha256))
    running.set(sha256, answer)
    return answer
  }

  function used({ known }: RememberedKey): VerifiedKey {
    uses.note(known.keyId, now())
    return known
  }

  return {
    check(key, address) {
      const sha256 = hashApiKey(key)
      const remembered = cache.get(sha256)
      if (remembered !== undefined) {
        const age = now() - remembered.askedAt
        // A clock that was set back must not lengthen anything.
        if (age < 0 || age >= lifetime) return lookUp(sha256)
        if (now() >= remembered.expiresAt) return undefined
        // Ask again before it is too old, so that steady traffic never waits. If that fails, so does the next check.
        if (age * 2 > lifetime) lookUp(sha256).catch(() => {})
        return used(remembered)
      }
      const seen = fixed.get(sha256)
      if (seen !== undefined) return seen
      if (!isApiKeyText(key)) return undefined
      const known = staticKeys(key)
      if (known !== undefined) {
        fixed.set(sha256, known)
        return known
      }
      if (!running.has(sha256) && !mayLookUp(address())) return 'too_many_look_ups'
      return lookUp(sha256)
    },

    forget: (keyId) => cache.forget(keyId),

    writeUses: () => uses.write(keys),
  }
}

async function findGoodKey(keys: ApiKeyRepository, sha256: string, at: number): Promise<RememberedKey | undefined> {
  const key = await keys.findByHash(sha256)
  if (key === undefined || apiKeyState(key, new Date(at)) !== 'active') return undefined
  return {
    known: { keyId: key.id, scopes: key.scopes },
    askedAt: at,
    expiresAt: key.expiresAt?.getTime() ?? Number.POSITIVE_INFINITY,
  }
}
