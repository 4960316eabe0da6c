/** The calls that must end before a database is closed. */
export class RunningCalls {
  readonly #calls = new Set<Promise<unknown>>()

  async add<Result>(call: Promise<Result>): Promise<Result> {
    this.#calls.add(call)
    try {
      return await call
    } finally {
      this.#calls.delete(call)
    }
  }

  /** Resolves when all of them have ended, in whatever way. */
  async finish(): Promise<void> {
    await Promise.allSettled(this.#calls)
  }
}
