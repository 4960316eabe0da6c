import pino, { type DestinationStream } from 'pino'

/** Lines are written once they fill a piece, or after so many milliseconds. */
const PIECE_BYTES = 64 * 1024
const AT_LEAST_EVERY_MS = 500

/** UTF-8 takes no more bytes for a UTF-16 unit. */
const MOST_BYTES_OF_A_UNIT = 3

/** Where lines go. */
export interface LogOutput extends DestinationStream {
  /** Writes in the background what has gathered. pino calls it for `log.flush()`. */
  flush(): void
  /** Writes it at once. pino calls it after a fatal line. */
  flushSync(): void
}

/**
 * Writes lines to a file descriptor in the background, many at once, and to the last one when the process ends by itself.
 * pino's own output gathers them too, but measures all that has gathered anew for each line; given large pieces it has
 * nothing to measure.
 */
export function openLogOutput(dest: number): LogOutput {
  let piece = Buffer.allocUnsafeSlow(PIECE_BYTES)
  let length = 0

  function flush(): void {
    if (length === 0) return
    // Its types know texts only.
    output.write(piece.subarray(0, length) as unknown as string)
    piece = Buffer.allocUnsafeSlow(PIECE_BYTES)
    length = 0
  }

  function flushSync(): void {
    flush()
    output.flushSync()
  }

  // Before those of pino, which close the output.
  process.on('beforeExit', flush)
  process.on('exit', flushSync)
  const output = pino.destination({ dest, sync: false, contentMode: 'buffer' })
  setInterval(flush, AT_LEAST_EVERY_MS).unref()

  return {
    write(line) {
      const most = line.length * MOST_BYTES_OF_A_UNIT
      if (length + most > PIECE_BYTES) flush()
      if (most > PIECE_BYTES) output.write(Buffer.from(line) as unknown as string)
      else length += piece.write(line, length)
    },
    flush,
    flushSync,
  }
}
