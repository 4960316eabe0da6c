/** Keeps the calls that must end before a database is closed. */
export class RunningCalls {
  readonly #running = new Set<Promise<unknown>>()

  get count(): number {
    return this.#running.size
  }

  /** Keeps a call until it ends, and settles as it does. */
  async track<Result>(call: Promise<Result>): Promise<Result> {
    this.#running.add(call)
    try {
      return await call
    } finally {
      this.#running.delete(call)
    }
  }

  /** Resolves when all calls that were begun have ended. */
  async finish(): Promise<void> {
    await Promise.allSettled(this.#running)
  }
}
