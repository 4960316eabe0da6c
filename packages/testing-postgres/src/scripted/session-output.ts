import type { Duplex } from 'node:stream'

/** What a session sends, collected until it is flushed, as a server does. */
export class SessionOutput {
  readonly #stream: Duplex
  #bytes: Buffer[] = []
  /** Whether nothing that is sent arrives any more. */
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
