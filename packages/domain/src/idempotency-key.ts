/**
 * Marks a creation that may be sent more than once: creations with the same owner, key and
 * fingerprint give one pet. Valid for `IDEMPOTENCY_KEY_LIFETIME_MS` from the first use; after that
 * the key is unknown again; a call for which it is unknown may make it so for calls that come at
 * the same time. An adapter may delete it once it has expired both at the time of a call and by the
 * clock of the database.
 */
export interface IdempotencyKey {
  /** Whose key it is. Keys of different owners are different keys, even with the same text. */
  readonly owner: string
  /** The text of the key, compared exactly. */
  readonly key: string
  /** The content of the pet as text: equal content has equal fingerprints. */
  readonly fingerprint: string
  /**
   * The time of the call, in milliseconds. Default: now, by the clock of the database. All
   * instances share that clock, so an instance whose own clock is wrong takes no key for expired.
   * Set it in tests, and for calls that are made later than they were requested.
   */
  readonly at?: Date | undefined
}

/** How long an idempotency key is valid after its first use, in milliseconds (24 hours). */
export const IDEMPOTENCY_KEY_LIFETIME_MS: number = 24 * 60 * 60 * 1000
