import { invalid } from './access-error.ts'
import { SCOPES, type Scope, type VerifiedKey } from './api-key.ts'
import { hashApiKey } from './api-key-text.ts'

/** A key from the settings, given by its hash. */
export interface StaticKey {
  /**
   * A public name for logs. Different for each key: idempotency keys belong to a name, and rate
   * limits are counted per name.
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
  const bySha256 = verifiedKeysBySha256(keys)
  return (key) => bySha256.get(hashApiKey(key))
}

/** The keys of a fixed list by their hashes. Throws as `createStaticKeys` does. */
export function verifiedKeysBySha256(keys: readonly StaticKey[]): ReadonlyMap<string, VerifiedKey> {
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
