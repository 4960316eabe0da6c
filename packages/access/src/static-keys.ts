import { SCOPES, type Scope } from './api-key.ts'
import { hashApiKey, isApiKeyText } from './api-key-text.ts'

/** A key that is given with the settings, by its hash. */
export interface StaticKey {
  /** A public name for logs. */
  readonly keyId: string
  /** What `hashApiKey` made of the key. */
  readonly sha256: string
  /** All of them unless said otherwise. */
  readonly scopes?: readonly Scope[]
}

/** A good key, by its public id, and what it may do. */
export interface VerifiedKey {
  readonly keyId: string
  readonly scopes: readonly Scope[]
}

/**
 * Checks keys against a fixed list; `undefined` for any other text. The look-up is by hash, so its timing tells
 * nothing about a key.
 */
export function createStaticKeys(keys: readonly StaticKey[]): (key: string) => VerifiedKey | undefined {
  const bySha256 = new Map(keys.map(({ keyId, sha256, scopes = SCOPES }) => [sha256, { keyId, scopes }]))
  return (key) => (isApiKeyText(key) ? bySha256.get(hashApiKey(key)) : undefined)
}
