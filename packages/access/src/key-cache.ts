import type { VerifiedKey } from './static-keys.ts'

/** What is remembered of a good key. Times are in milliseconds since 1970. */
export interface RememberedKey {
  readonly known: VerifiedKey
  /** When storage was asked for it. */
  readonly askedAt: number
  /** From when on it is refused, whatever storage says. */
  readonly expiresAt: number
}

/** Good keys by their hashes, at most so many: those that storage was asked for last. Wrong keys are never kept. */
export class KeyCache {
  readonly #keys = new Map<string, RememberedKey>()
  readonly #capacity: number
  #revocations = 0

  constructor(capacity: number) {
    this.#capacity = capacity
  }

  get(sha256: string): RememberedKey | undefined {
    return this.#keys.get(sha256)
  }

  /** Begins a look-up. What it finds goes to the given function, which drops it if a key was forgotten meanwhile. */
  begin(sha256: string): (found: RememberedKey | undefined) => void {
    const before = this.#revocations
    return (found) => {
      // Put at the end again, so that the first one is always the one to go.
      this.#keys.delete(sha256)
      if (found === undefined || before !== this.#revocations) return
      this.#keys.set(sha256, found)
      if (this.#keys.size > this.#capacity) this.#keys.delete(this.#keys.keys().next().value ?? '')
    }
  }

  /** Forgets a key by its public id, also one that is being looked up. */
  forget(keyId: string): void {
    this.#revocations += 1
    for (const [sha256, { known }] of this.#keys) if (known.keyId === keyId) this.#keys.delete(sha256)
  }
}
