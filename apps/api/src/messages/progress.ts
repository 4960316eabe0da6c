/** Formats an amount of work. */
type Unit = (amount: number) => string

const NUMBER: Unit = (amount) => amount.toLocaleString('en')
export const MEGABYTES: Unit = (bytes) =>
  `${(bytes / 1e6).toLocaleString('en', { maximumFractionDigits: 1 })} MB`

const LINE_INTERVAL_MS = 10_000
const TERMINAL_INTERVAL_MS = 200
/** If output is not a terminal, `follow` prints nothing after work that was shorter than this. */
const SHORT_MS = 1_000

/** Shows the progress of some work. */
export interface Progress {
  /** Adds to the amount of work that is done. */
  advance(count: number): void
  /**
   * Shows that other work follows, whose progress is not known, and then how long it has taken so
   * far.
   */
  follow(what: string): void
  /** Call it when the work has ended, even if it has failed. */
  end(): void
}

/**
 * Shows progress on standard error, such as `Copying: 5,000 of 80,000 (6%), 12 s left`: on a
 * terminal in one line that is erased at the end, otherwise in a new line every ten seconds.
 */
export function showProgress(what: string, total: number | undefined, unit = NUMBER): Progress {
  const isTTY = canErase()
  const intervalMs = isTTY ? TERMINAL_INTERVAL_MS : LINE_INTERVAL_MS
  const startedAt = performance.now()
  let shownAt = startedAt
  let done = 0
  let following: NodeJS.Timeout | undefined
  function show(now: number, line: string): void {
    shownAt = now
    // A line that the terminal broke into two could not be erased.
    if (isTTY)
      process.stderr.write(`${ERASE_LINE}${line.slice(0, (process.stderr.columns || 80) - 1)}`)
    else console.error(line)
  }
  return {
    advance(count) {
      done += count
      const now = performance.now()
      if (now - shownAt < intervalMs) return
      show(now, `${what}: ${unit(done)}${share(done, total, unit, now - startedAt)}`)
    },
    follow(next) {
      const now = performance.now()
      if (isTTY || now - startedAt >= SHORT_MS) show(now, `${next}: ${unit(done)}`)
      following = setInterval(
        () => {
          const later = performance.now()
          const seconds = Math.round((later - now) / 1_000)
          show(later, `${next}: ${unit(done)}, ${seconds} s so far`)
        },
        isTTY ? 1_000 : LINE_INTERVAL_MS,
      )
    },
    end() {
      clearInterval(following)
      if (isTTY && shownAt > startedAt) process.stderr.write(ERASE_LINE)
    },
  }
}

/** Whether standard error is a terminal that can erase a line. */
function canErase(): boolean {
  return process.stderr.isTTY && process.env['TERM'] !== 'dumb'
}

/** Moves to the beginning of the line and erases it (ECMA-48). */
const ERASE_LINE = '\r\x1b[K'

function share(done: number, total: number | undefined, unit: Unit, elapsedMs: number): string {
  if (total === undefined || total <= 0 || done <= 0) return ''
  const leftSeconds = Math.max(0, Math.ceil((elapsedMs * (total / done - 1)) / 1_000))
  const left = leftSeconds < 120 ? `${leftSeconds} s` : `${Math.ceil(leftSeconds / 60)} min`
  return ` of ${unit(total)} (${Math.min(100, Math.floor((done / total) * 100))}%), ${left} left`
}

/** Prints a line on standard error, in place of the progress that a terminal may show. */
export function printLine(line: string): void {
  console.error(`${canErase() ? ERASE_LINE : ''}${line}`)
}
