const MIN_BYTES = 1_024

/**
 * Collects chunks in one buffer that grows. A list of chunks would keep some 400 bytes for a chunk
 * of one byte, and whatever was read together with it.
 */
export class GrowingBuffer {
  readonly #maxBytes: number
  #buffer: Buffer
  #length = 0

  /** Takes `maxBytes` at most; the caller counts. */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
    this.#buffer = Buffer.allocUnsafeSlow(Math.min(MIN_BYTES, maxBytes))
  }

  append(chunk: Buffer): void {
    const length = this.#length + chunk.length
    if (length > this.#buffer.length) this.#grow(length)
    chunk.copy(this.#buffer, this.#length)
    this.#length = length
  }

  /** All bytes. */
  bytes(): Buffer {
    return this.#buffer.subarray(0, this.#length)
  }

  /** At least doubles, so that each byte is copied twice on average. */
  #grow(length: number): void {
    const larger = Buffer.allocUnsafeSlow(Math.min(this.#maxBytes, 2 * length))
    this.bytes().copy(larger)
    this.#buffer = larger
  }
}
