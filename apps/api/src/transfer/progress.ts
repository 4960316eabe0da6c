import { constants } from 'node:os'

/** Formats an amount of work. */
type Unit = (amount: number) => string

const NUMBER: Unit = (amount) => amount.toLocaleString('en')
export const MEGABYTES: Unit = (bytes) =>
  `${(bytes / 1e6).toLocaleString('en', { maximumFractionDigits: 1 })} MB`

const INTERVAL_MS = 2_000

/**
 * Returns a function that is told of progress, and writes a line such as `Copying: 5,000 of 80,000`
 * every two seconds.
 */
export function showProgress(
  what: string,
  total: number | undefined,
  unit = NUMBER,
): (count: number) => void {
  let shownAt = performance.now()
  let done = 0
  return (count) => {
    done += count
    if (performance.now() - shownAt < INTERVAL_MS) return
    shownAt = performance.now()
    console.error(`${what}: ${unit(done)}${total === undefined ? '' : ` of ${unit(total)}`}`)
  }
}

/** `1 pet`, `137,075 pets`. */
export function amount(count: number, what: string): string {
  return `${count.toLocaleString('en')} ${what}${count === 1 ? '' : 's'}`
}

/** Runs some work. If SIGINT or SIGTERM ends it, the message says what was done. */
export async function interruptible<Result>(
  message: () => string,
  work: () => Promise<Result>,
): Promise<Result> {
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
