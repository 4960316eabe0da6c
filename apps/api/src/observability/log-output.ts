import { fstatSync, writeSync } from 'node:fs'
import { Socket } from 'node:net'
import type { DestinationStream } from 'pino'

const STANDARD_OUTPUT = 1

/** Lines are written once they fill a piece, or at this interval. */
const PIECE_BYTES = 64 * 1024
const FLUSH_INTERVAL_MS = 500
const DEFAULT_MAX_BYTES = 8 * 1024 * 1024
/** UTF-8 takes at most this many bytes for a UTF-16 code unit. */
const MAX_BYTES_PER_CODE_UNIT = 3

/** After an error the next attempt follows soon, then less and less often. */
const MIN_RETRY_MS = 1
const MAX_RETRY_MS = 100
/** How long the end of the process waits for a reader: in total, and while the reader takes nothing. */
const FINAL_MS = 2_000
const FINAL_IDLE_MS = 250
const FINAL_POLL_MS = 5

/** Where lines go. */
export interface LogOutput extends DestinationStream {
  /** Writes what is gathered, as far as that is possible at once. pino calls it for `log.flush()`. */
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
 * pipe neither throws nor blocks, and never holds more than `maxBytes` in memory. Why it exists: decision 0080.
 */
export function openLogOutput(options: LogOutputOptions = {}): LogOutput {
  const { fileDescriptor = STANDARD_OUTPUT, onResume = () => {} } = options
  const maxBytes = Math.max(options.maxBytes ?? DEFAULT_MAX_BYTES, 2 * PIECE_BYTES)
  let piece = Buffer.allocUnsafeSlow(PIECE_BYTES)
  let length = 0
  /** What could not be written yet, oldest first. Empty unless the output is stuck. */
  const waiting: Buffer[] = []
  let waitingBytes = 0
  let retryMs = MIN_RETRY_MS
  let isRetryPlanned = false
  let isClosed = false
  let isDropping = false
  let dropped = 0
  let reported = 0

  function write(line: string): void {
    const most = line.length * MAX_BYTES_PER_CODE_UNIT
    if (isClosed || isDropping) {
      dropped += 1
      return
    }
    if (length + most > PIECE_BYTES) endPiece()
    if (waitingBytes + length + most > maxBytes) drop()
    else if (most > PIECE_BYTES) emit(Buffer.from(line))
    else length += piece.write(line, length)
  }

  function drop(): void {
    dropped += 1
    if (waiting.length > 0) isDropping = true
    // Only the line itself is too long.
    else if (!isClosed) resume()
  }

  function endPiece(): void {
    if (length === 0) return
    // A buffer that waits is not filled anew.
    if (!emit(piece.subarray(0, length))) piece = Buffer.allocUnsafeSlow(PIECE_BYTES)
    length = 0
  }

  /** Writes bytes, behind those that wait. `false` if some of them wait now. */
  function emit(bytes: Buffer): boolean {
    const written = waiting.length === 0 ? writeSome(bytes) : 0
    if (isClosed || written === bytes.length) return true
    if (waiting.length === 0) retryLater()
    waiting.push(bytes.subarray(written))
    waitingBytes += bytes.length - written
    return false
  }

  /** Returns how many bytes were written. */
  function writeSome(bytes: Buffer): number {
    let written = 0
    try {
      while (written < bytes.length) written += writeSync(fileDescriptor, bytes, written)
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      // Nobody will ever read this.
      if (code === 'EPIPE' || code === 'EBADF') close()
    }
    return written
  }

  function close(): void {
    isClosed = true
    waiting.length = 0
    waitingBytes = 0
    length = 0
  }

  function retryLater(): void {
    if (isRetryPlanned) return
    isRetryPlanned = true
    setTimeout(retry, retryMs).unref()
    retryMs = Math.min(retryMs * 2, MAX_RETRY_MS)
  }

  function retry(): void {
    isRetryPlanned = false
    if (writeWaiting() > 0) retryMs = MIN_RETRY_MS
    if (waiting.length > 0) retryLater()
    if (isDropping && !isClosed && waitingBytes <= maxBytes / 2) resume()
  }

  /** Returns how many bytes were written. */
  function writeWaiting(): number {
    const before = waitingBytes
    for (let first = waiting[0]; first !== undefined; first = waiting[0]) {
      const written = writeSome(first)
      // Closed.
      if (waiting.length === 0) break
      waitingBytes -= written
      if (written < first.length) {
        waiting[0] = first.subarray(written)
        break
      }
      waiting.shift()
    }
    return before - waitingBytes
  }

  function resume(): void {
    isDropping = false
    const since = dropped - reported
    reported = dropped
    onResume(since)
  }

  function flush(): void {
    // What is gathered while others wait goes on gathering, so that whole pieces wait and not many small ones.
    if (waiting.length === 0) endPiece()
  }

  function flushSync(): void {
    endPiece()
    let idleMs = 0
    for (let ms = 0; waiting.length > 0 && ms < FINAL_MS && idleMs < FINAL_IDLE_MS; ms += FINAL_POLL_MS) {
      idleMs = writeWaiting() > 0 ? 0 : idleMs + FINAL_POLL_MS
      if (waiting.length > 0) sleep(FINAL_POLL_MS)
    }
  }

  makeNonBlocking(fileDescriptor)
  process.on('exit', flushSync)
  setInterval(flush, FLUSH_INTERVAL_MS).unref()
  return { write, flush, flushSync, droppedLines: () => dropped }
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
