import { fstatSync, writeSync } from 'node:fs'
import { Socket } from 'node:net'
import type { DestinationStream } from 'pino'

export const STANDARD_OUTPUT = 1

/** Lines are written when they fill a chunk of this size, or at this interval. */
const CHUNK_BYTES = 64 * 1024
const FLUSH_INTERVAL_MS = 500
/** When to try again if not everything could be written. Each further chunk is an attempt too. */
const RETRY_MS = 10
const DEFAULT_MAX_BYTES = 8 * 1024 * 1024
/** UTF-8 takes at most this many bytes for a UTF-16 code unit. */
const MAX_BYTES_PER_CODE_UNIT = 3

/** How long the process waits for a reader when it ends: in total, and while nothing is read. */
const FINAL_MS = 2_000
const FINAL_IDLE_MS = 250
const FINAL_POLL_MS = 5

export interface LogOutputOptions {
  /** Default: standard output. */
  readonly fileDescriptor?: number
  /**
   * The maximum number of bytes that wait to be written; further lines are dropped. At least 128
   * KiB; default: 8 MiB.
   */
  readonly maxBytes?: number
  /** Called with the number of dropped lines once there is room again. */
  readonly onResume?: (droppedLines: number) => void
}

/**
 * Writes lines to a file descriptor in order, many at a time, and the rest when the process ends.
 * If the disk is full, or a pipe is slow or closed, it neither throws nor blocks, and keeps at most
 * `maxBytes` in memory; further lines are dropped. What it gains: docs/decisions/0033-hot-path.md
 */
export class LogOutput implements DestinationStream {
  readonly #fileDescriptor: number
  readonly #maxBytes: number
  readonly #onResume: (droppedLines: number) => void
  #chunk = Buffer.allocUnsafeSlow(CHUNK_BYTES)
  #length = 0
  /** The bytes that could not be written yet. */
  readonly #waiting: Buffer[] = []
  #waitingBytes = 0
  #retry: NodeJS.Timeout | undefined
  /** Whether the output was closed, so that nothing can be written any more. */
  #isClosed = false
  #dropped = 0
  #reported = 0

  constructor({
    fileDescriptor = STANDARD_OUTPUT,
    maxBytes = DEFAULT_MAX_BYTES,
    onResume = () => {},
  }: LogOutputOptions) {
    this.#fileDescriptor = fileDescriptor
    this.#maxBytes = Math.max(maxBytes, 2 * CHUNK_BYTES)
    this.#onResume = onResume
    makeNonBlocking(fileDescriptor)
    process.on('exit', () => this.flushSync())
    setInterval(() => this.flush(), FLUSH_INTERVAL_MS).unref()
  }

  write(line: string): void {
    if (this.#isClosed) {
      this.#dropped += 1
      return
    }
    const most = line.length * MAX_BYTES_PER_CODE_UNIT
    if (this.#length + most > CHUNK_BYTES) this.#endChunk()
    if (this.#waitingBytes + this.#length + most > this.#maxBytes) {
      this.#dropped += 1
      // If there is room for others, only this line was too long, and is reported at once.
      this.#reportDropped()
    } else if (most > CHUNK_BYTES) this.#add(Buffer.from(line))
    else this.#length += this.#chunk.write(line, this.#length)
  }

  /**
   * Writes the collected lines, as far as possible without waiting. pino calls it for
   * `log.flush()`.
   */
  flush(): void {
    // While other chunks wait, this one is filled further, so that few large chunks wait.
    if (this.#waitingBytes === 0) this.#endChunk()
  }

  /** Like `flush`, but waits shortly for a pipe that is full. pino calls it after a fatal line. */
  flushSync(): void {
    this.#endChunk()
    let idleMs = 0
    for (
      let ms = 0;
      this.#waitingBytes > 0 && ms < FINAL_MS && idleMs < FINAL_IDLE_MS;
      ms += FINAL_POLL_MS
    ) {
      sleep(FINAL_POLL_MS)
      const before = this.#waitingBytes
      this.#writeWaiting()
      idleMs = this.#waitingBytes < before ? 0 : idleMs + FINAL_POLL_MS
    }
  }

  /** The number of lines that were dropped since the start. */
  get droppedLines(): number {
    return this.#dropped
  }

  #endChunk(): void {
    if (this.#length === 0) return
    this.#add(this.#chunk.subarray(0, this.#length))
    // The buffer still waits to be written, so it must not be reused.
    if (this.#waitingBytes > 0) this.#chunk = Buffer.allocUnsafeSlow(CHUNK_BYTES)
    this.#length = 0
  }

  #add(bytes: Buffer): void {
    this.#waiting.push(bytes)
    this.#waitingBytes += bytes.length
    this.#writeWaiting()
  }

  /** Writes what waits, as far as possible without waiting, and tries again later. */
  #writeWaiting(): void {
    try {
      for (let first = this.#waiting[0]; first !== undefined; first = this.#waiting[0]) {
        const written = writeSync(this.#fileDescriptor, first)
        this.#waitingBytes -= written
        if (written < first.length) this.#waiting[0] = first.subarray(written)
        else this.#waiting.shift()
      }
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      if (code === 'EPIPE' || code === 'EBADF') this.#close()
    }
    if (this.#waitingBytes > 0)
      this.#retry ??= setTimeout(() => this.#writeAgain(), RETRY_MS).unref()
  }

  #writeAgain(): void {
    this.#retry = undefined
    this.#writeWaiting()
    this.#reportDropped()
  }

  #close(): void {
    this.#isClosed = true
    this.#waiting.length = 0
    this.#waitingBytes = 0
  }

  #reportDropped(): void {
    const droppedLines = this.#dropped - this.#reported
    if (droppedLines === 0 || this.#isClosed || this.#waitingBytes > this.#maxBytes / 2) return
    this.#reported = this.#dropped
    this.#onResume(droppedLines)
  }
}

/**
 * Makes a write to a full pipe or socket fail with EAGAIN instead of blocking. `fs` has no function
 * for that, but a `Socket` does it for its file descriptor, as `process.stdout` would. The socket
 * itself is never used.
 */
function makeNonBlocking(fileDescriptor: number): void {
  const file = fstatSync(fileDescriptor)
  if (file.isFIFO() || file.isSocket()) new Socket({ fd: fileDescriptor, readable: false }).unref()
}

function sleep(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)
}
