/** A part of the program that must be closed. */
interface Closable {
  close(): Promise<void>
}

/** The parts that were opened so far. Each may need the ones before it. */
export class OpenedParts {
  readonly #parts: Closable[] = []

  add<Part extends Closable>(part: Part): Part {
    this.#parts.push(part)
    return part
  }

  /** Closes all of them, the last one first. Rejects with the first error, but closes the rest. */
  async close(): Promise<void> {
    const errors: unknown[] = []
    for (const part of this.#parts.splice(0).reverse()) {
      await part.close().catch((error: unknown) => errors.push(error))
    }
    if (errors.length > 0) throw errors[0]
  }
}
