/**
 * Asks that something is created once, however often and from wherever it is asked for. For a day: after that the key
 * is as good as new.
 */
export interface Once {
  /** Whose key it is; the same key of another owner is another key. */
  readonly owner: string
  readonly key: string
  /** What is to be created, as a text: equal texts for equal content. */
  readonly fingerprint: string
  /** The time of asking. */
  readonly at: Date
}

/** How long a key is kept, in milliseconds. */
export const ONCE_LIFETIME: number = 24 * 60 * 60 * 1000
