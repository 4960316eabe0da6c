/**
 * Marks a creation that may be sent more than once: creations with the same owner, key and fingerprint give one pet.
 * Valid for `IDEMPOTENCY_KEY_LIFETIME_MS` from the first use; after that the key is unknown again.
 */
export interface IdempotencyKey {
  /** Whose key it is. Keys of different owners are different keys, even with the same text. */
  readonly owner: string
  /** The text of the key, compared exactly. */
  readonly key: string
  /** The content of the pet as text: equal content has equal fingerprints. */
  readonly fingerprint: string
  /** The time of the request. */
  readonly at: Date
}

/** How long an idempotency key is valid after its first use, in milliseconds (24 hours). */
export const IDEMPOTENCY_KEY_LIFETIME_MS: number = 24 * 60 * 60 * 1000
