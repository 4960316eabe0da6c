import pino, { type DestinationStream } from 'pino'

/** Lines are written once there are so many characters of them, or after so many milliseconds. */
const ENOUGH = 64 * 1024
const AT_LEAST_EVERY_MS = 500

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
  let gathered = ''

  function flush(): void {
    if (gathered === '') return
    const lines = Buffer.from(gathered)
    gathered = ''
    // Its types know texts only.
    output.write(lines as unknown as string)
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
      gathered += line
      if (gathered.length >= ENOUGH) flush()
    },
    flush,
    flushSync,
  }
}
