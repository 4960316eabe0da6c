const MIN_BYTES = 1_024

/**
 * Collects chunks in one buffer that grows. A list of chunks would take some 400 bytes for a chunk
 * of one byte, and keep the whole packet of each chunk in memory.
 */
export class GrowingBuffer {
  readonly #maxBytes: number
  #buffer: Buffer
  #length = 0

  /** `maxBytes` is the largest size that the buffer grows to; the caller must not append more. */
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

  /** All bytes that were appended. */
  bytes(): Buffer {
    return this.#buffer.subarray(0, this.#length)
  }

  /** At least doubles the size, so that each byte is copied about twice on average. */
  #grow(length: number): void {
    const larger = Buffer.allocUnsafeSlow(Math.min(this.#maxBytes, 2 * length))
    this.bytes().copy(larger)
    this.#buffer = larger
  }
}
