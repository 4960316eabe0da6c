/** A part of the program that must be closed. */
interface Closable {
  close(): Promise<void>
}

/** Collects the parts that were opened, each of which may need the ones before it. */
export class OpenedParts {
  readonly #parts: Closable[] = []

  add<Part extends Closable>(part: Part): Part {
    this.#parts.push(part)
    return part
  }

  /** Closes all parts, the last one first, even if one fails. Rejects with the first error. */
  async close(): Promise<void> {
    const errors: unknown[] = []
    for (const part of this.#parts.splice(0).reverse()) {
      await part.close().catch((error: unknown) => errors.push(error))
    }
    if (errors.length > 0) throw errors[0]
  }
}
