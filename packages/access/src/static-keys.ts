import { hashApiKey, isApiKeyText } from './api-key-text.ts'

/** A key that is given with the settings, by its hash. */
export interface StaticKey {
  /** A public name for logs. */
  readonly keyId: string
  /** What `hashApiKey` made of the key. */
  readonly sha256: string
}

/** A good key, by its public id. */
export interface KnownKey {
  readonly keyId: string
}

/**
 * Checks keys against a fixed list; `undefined` for any other text. The look-up is by hash, so its timing tells
 * nothing about a key.
 */
export function createStaticKeys(keys: readonly StaticKey[]): (key: string) => KnownKey | undefined {
  const bySha256 = new Map(keys.map(({ keyId, sha256 }) => [sha256, { keyId }]))
  return (key) => (isApiKeyText(key) ? bySha256.get(hashApiKey(key)) : undefined)
}
