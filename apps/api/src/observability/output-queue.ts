import { writeSync } from 'node:fs'

/** After an error the next attempt follows soon, then less and less often. */
const MIN_RETRY_MS = 1
const MAX_RETRY_MS = 100

/** Writes bytes to a file descriptor that does not block. What it does not take waits, oldest first, and is tried again. */
export class OutputQueue {
  readonly #fileDescriptor: number
  readonly #onProgress: () => void
  readonly #waiting: Buffer[] = []
  #waitingBytes = 0
  #retryMs = MIN_RETRY_MS
  #isRetryPlanned = false
  #isClosed = false

  /** `onProgress` is called after each further attempt. */
  constructor(fileDescriptor: number, onProgress: () => void) {
    this.#fileDescriptor = fileDescriptor
    this.#onProgress = onProgress
  }

  /** 0 unless the output is stuck. The caller bounds it. */
  get waitingBytes(): number {
    return this.#waitingBytes
  }

  /** Whether nobody will ever read what is written. */
  get isClosed(): boolean {
    return this.#isClosed
  }

  /** Writes bytes behind those that wait. `false` if the buffer is kept, because some of them wait now. */
  write(bytes: Buffer): boolean {
    const written = this.#waitingBytes === 0 ? this.#writeSome(bytes) : 0
    if (this.#isClosed || written === bytes.length) return true
    this.#waiting.push(bytes.subarray(written))
    this.#waitingBytes += bytes.length - written
    this.#retryLater()
    return false
  }

  /** Tries again to write what waits. Returns how many bytes were written. */
  writeWaiting(): number {
    let total = 0
    for (let first = this.#waiting[0]; first !== undefined; first = this.#waiting[0]) {
      const written = this.#writeSome(first)
      if (this.#isClosed) break
      total += written
      this.#waitingBytes -= written
      if (written < first.length) {
        this.#waiting[0] = first.subarray(written)
        break
      }
      this.#waiting.shift()
    }
    return total
  }

  /** Returns how many bytes were written. */
  #writeSome(bytes: Buffer): number {
    let written = 0
    try {
      while (written < bytes.length) written += writeSync(this.#fileDescriptor, bytes, written)
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      if (code === 'EPIPE' || code === 'EBADF') this.#close()
    }
    return written
  }

  #close(): void {
    this.#isClosed = true
    this.#waiting.length = 0
    this.#waitingBytes = 0
  }

  #retryLater(): void {
    if (this.#isRetryPlanned) return
    this.#isRetryPlanned = true
    setTimeout(() => this.#retry(), this.#retryMs).unref()
    this.#retryMs = Math.min(this.#retryMs * 2, MAX_RETRY_MS)
  }

  #retry(): void {
    this.#isRetryPlanned = false
    if (this.writeWaiting() > 0) this.#retryMs = MIN_RETRY_MS
    if (this.#waitingBytes > 0) this.#retryLater()
    this.#onProgress()
  }
}
