import { constants } from 'node:os'

/** Formats an amount of work. */
type Unit = (amount: number) => string

const NUMBER: Unit = (amount) => Math.round(amount).toLocaleString('en')
export const MEGABYTES: Unit = (bytes) => `${(bytes / 1e6).toLocaleString('en', { maximumFractionDigits: 1 })} MB`

const INTERVAL_MS = 2_000
/** Shorter work is not worth a line. */
const SHORTEST_MS = 1_000

/** Shows how far long work is, on standard error, by a line every two seconds. `total` is `undefined` if it is unknown. */
export function showProgress(what: string, total: number | undefined, unit = NUMBER) {
  const start = performance.now()
  let shown = start
  let done = 0
  return {
    advance(count: number): void {
      done += count
      const time = performance.now()
      if (time - shown < INTERVAL_MS) return
      shown = time
      console.error(`${what}: ${stateOf(done, total, time - start, unit)}`)
    },
    end(): void {
      const milliseconds = performance.now() - start
      if (milliseconds >= SHORTEST_MS) console.error(`${what}: ${unit(done)}, ${span(milliseconds)}`)
    },
  }
}

/** `250,000 of 1,000,000, 120,000/s, 6 s left`. */
function stateOf(done: number, total: number | undefined, milliseconds: number, unit: Unit): string {
  const perSecond = (done / Math.max(milliseconds, 1)) * 1000
  if (total === undefined) return `${unit(done)}, ${unit(perSecond)}/s`
  return `${unit(done)} of ${unit(total)}, ${unit(perSecond)}/s, ${span((Math.max(0, total - done) / perSecond) * 1000)} left`
}

function span(milliseconds: number): string {
  const seconds = Math.round(milliseconds / 1000)
  if (seconds < 60) return `${seconds} s`
  return `${Math.floor(seconds / 60)} min ${seconds % 60} s`
}

/** `1 pet`, `137,075 pets`. */
export function amount(count: number, what: string): string {
  return `${count.toLocaleString('en')} ${what}${count === 1 ? '' : 's'}`
}

/** Runs some work. If SIGINT or SIGTERM ends it, the message says what was done. */
export async function interruptible<Result>(message: () => string, work: () => Promise<Result>): Promise<Result> {
  const stop = (signal: 'SIGINT' | 'SIGTERM') => {
    console.error(`${process.stderr.isTTY ? '\n' : ''}${message()}`)
    process.exit(128 + constants.signals[signal])
  }
  process.on('SIGINT', stop).on('SIGTERM', stop)
  try {
    return await work()
  } finally {
    process.off('SIGINT', stop).off('SIGTERM', stop)
  }
}
