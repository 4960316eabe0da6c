import type { Duplex } from 'node:stream'

/** Collects what a session sends until it is flushed, as a server does. */
export class SessionOutput {
  readonly #stream: Duplex
  #bytes: Buffer[] = []
  /** If true, nothing that is flushed arrives any more. */
  isSilent = false

  constructor(stream: Duplex) {
    this.#stream = stream
  }

  write(bytes: Buffer): void {
    this.#bytes.push(bytes)
  }

  flush(): void {
    const bytes = Buffer.concat(this.#bytes)
    this.#bytes = []
    if (!this.isSilent && bytes.length > 0 && this.#stream.writable) this.#stream.write(bytes)
  }
}
