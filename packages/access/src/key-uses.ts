import type { ApiKeyRepository } from './api-key-repository.ts'

/** Collects when keys were used, so that storage hears of it now and then, and never while a request waits. */
export class KeyUses {
  readonly #latest = new Map<string, number>()

  note(keyId: string, at: number): void {
    this.#latest.set(keyId, at)
  }

  /** Tells storage. Rejects when storage does, and then keeps what was not told for the next time. */
  async write(keys: ApiKeyRepository): Promise<void> {
    for (const [keyId, at] of [...this.#latest]) {
      await keys.markUsed(keyId, new Date(at))
      if (this.#latest.get(keyId) === at) this.#latest.delete(keyId)
    }
  }
}
