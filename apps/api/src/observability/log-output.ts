import { fstatSync } from 'node:fs'
import { Socket } from 'node:net'
import type { DestinationStream } from 'pino'
import { OutputQueue } from './output-queue.ts'

const STANDARD_OUTPUT = 1

/** Lines are written once they fill a piece, or at this interval. */
const PIECE_BYTES = 64 * 1024
const FLUSH_INTERVAL_MS = 500
const DEFAULT_MAX_BYTES = 8 * 1024 * 1024
/** UTF-8 takes at most this many bytes for a UTF-16 code unit. */
const MAX_BYTES_PER_CODE_UNIT = 3

/** How long the end of the process waits for a reader: in total, and while the reader takes nothing. */
const FINAL_MS = 2_000
const FINAL_IDLE_MS = 250
const FINAL_POLL_MS = 5

/** Where lines go. */
export interface LogOutput extends DestinationStream {
  /** Writes what was collected, as far as that is possible at once. pino calls it for `log.flush()`. */
  flush(): void
  /** Like `flush`, but waits a short while for a pipe that is full. pino calls it after a fatal line. */
  flushSync(): void
  /** How many lines were dropped since the start. */
  droppedLines(): number
}

export interface LogOutputOptions {
  /** Default: standard output. */
  readonly fileDescriptor?: number
  /** The most bytes that wait to be written; lines beyond it are dropped. At least 128 KiB; default: 8 MiB. */
  readonly maxBytes?: number
  /** Called with the number of dropped lines once there is room again. */
  readonly onResume?: (droppedLines: number) => void
}

/**
 * Writes lines to a file descriptor, many at once, and the rest when the process ends. A full disk, a slow or a closed
 * pipe neither throws nor blocks, and never holds more than `maxBytes` in memory. What it gains: docs/decisions/0033-hot-path.md
 */
export function openLogOutput(options: LogOutputOptions = {}): LogOutput {
  const output = new LinePieces(options)
  makeNonBlocking(options.fileDescriptor ?? STANDARD_OUTPUT)
  process.on('exit', () => output.flushSync())
  setInterval(() => output.flush(), FLUSH_INTERVAL_MS).unref()
  return output
}

/** Collects lines in pieces, and drops lines once too many bytes wait. */
class LinePieces implements LogOutput {
  readonly #queue: OutputQueue
  readonly #maxBytes: number
  readonly #onResume: (droppedLines: number) => void
  #piece = Buffer.allocUnsafeSlow(PIECE_BYTES)
  #length = 0
  #isDropping = false
  #dropped = 0
  #reported = 0

  constructor({
    fileDescriptor = STANDARD_OUTPUT,
    maxBytes = DEFAULT_MAX_BYTES,
    onResume = () => {},
  }: LogOutputOptions) {
    this.#queue = new OutputQueue(fileDescriptor, () => this.#resumeOnceHalfEmpty())
    this.#maxBytes = Math.max(maxBytes, 2 * PIECE_BYTES)
    this.#onResume = onResume
  }

  write(line: string): void {
    if (this.#isDropping || this.#queue.isClosed) {
      this.#dropped += 1
      return
    }
    const most = line.length * MAX_BYTES_PER_CODE_UNIT
    if (this.#length + most > PIECE_BYTES) this.#endPiece()
    if (this.#queue.waitingBytes + this.#length + most > this.#maxBytes) this.#drop()
    else if (most > PIECE_BYTES) this.#queue.write(Buffer.from(line))
    else this.#length += this.#piece.write(line, this.#length)
  }

  flush(): void {
    // While others wait the piece keeps filling, so that whole pieces wait and not many small ones.
    if (this.#queue.waitingBytes === 0) this.#endPiece()
  }

  flushSync(): void {
    this.#endPiece()
    let idleMs = 0
    for (let ms = 0; this.#queue.waitingBytes > 0 && ms < FINAL_MS && idleMs < FINAL_IDLE_MS; ms += FINAL_POLL_MS) {
      idleMs = this.#queue.writeWaiting() > 0 ? 0 : idleMs + FINAL_POLL_MS
      if (this.#queue.waitingBytes > 0) sleep(FINAL_POLL_MS)
    }
  }

  droppedLines(): number {
    return this.#dropped
  }

  #endPiece(): void {
    if (this.#length === 0) return
    const isWritten = this.#queue.write(this.#piece.subarray(0, this.#length))
    // A buffer that waits is not filled anew.
    if (!isWritten) this.#piece = Buffer.allocUnsafeSlow(PIECE_BYTES)
    this.#length = 0
  }

  #drop(): void {
    this.#dropped += 1
    if (this.#queue.waitingBytes > 0) this.#isDropping = true
    // Only the line itself is too long.
    else if (!this.#queue.isClosed) this.#resume()
  }

  #resumeOnceHalfEmpty(): void {
    if (this.#isDropping && !this.#queue.isClosed && this.#queue.waitingBytes <= this.#maxBytes / 2) this.#resume()
  }

  #resume(): void {
    this.#isDropping = false
    const droppedLines = this.#dropped - this.#reported
    this.#reported = this.#dropped
    this.#onResume(droppedLines)
  }
}

/**
 * Lets a write to a full pipe or socket fail with EAGAIN instead of blocking. `fs` has no function for that, but wrapping
 * a file descriptor in a `Socket` does it, as `process.stdout` would. The socket itself is never used.
 */
function makeNonBlocking(fileDescriptor: number): void {
  const file = fstatSync(fileDescriptor)
  if (file.isFIFO() || file.isSocket()) new Socket({ fd: fileDescriptor, readable: false }).unref()
}

function sleep(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)
}
