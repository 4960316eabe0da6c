import { constants } from 'node:os'

/** Shows how far long work is, on standard error: one line that is rewritten on a terminal, else a line every two seconds. */
export interface Progress {
  /** Begins a part of the work, of which `done` may be done already. `total` is `undefined` if it is unknown. */
  begin(what: string, total: number | undefined, done?: number, unit?: Unit): Meter
}

/** Formats an amount of work. */
export type Unit = (amount: number) => string

const NUMBER: Unit = (amount) => Math.round(amount).toLocaleString('en')
export const MEGABYTES: Unit = (bytes) => `${(bytes / 1e6).toLocaleString('en', { maximumFractionDigits: 1 })} MB`

/** One part of the work. */
export interface Meter {
  advance(count: number): void
  end(): void
}

const LINE_INTERVAL_MS = 2_000
const TERMINAL_INTERVAL_MS = 100
/** Shorter work is not worth a line. */
const SHORTEST_MS = 1_000

export function createProgress(now: () => number = () => performance.now()): Progress {
  const { isTTY } = process.stderr
  const intervalMs = isTTY ? TERMINAL_INTERVAL_MS : LINE_INTERVAL_MS
  const show = isTTY ? rewriteLine : (text: string) => console.error(text)
  return {
    begin(what, total, done = 0, unit = NUMBER) {
      const start = now()
      let shown = start
      let current = done
      return {
        advance(count) {
          current += count
          const time = now()
          if (time - shown < intervalMs) return
          shown = time
          show(`${what}: ${state({ current, total, achieved: current - done, milliseconds: time - start, unit })}`)
        },
        end() {
          const milliseconds = now() - start
          if (milliseconds >= SHORTEST_MS) show(`${what}: ${unit(current)}, ${span(milliseconds)}`)
          if (isTTY && shown > start) process.stderr.write('\n')
        },
      }
    },
  }
}

function rewriteLine(text: string): void {
  process.stderr.write(`\r\x1b[K${text.slice(0, (process.stderr.columns || 80) - 1)}`)
}

interface State {
  readonly current: number
  readonly total: number | undefined
  readonly achieved: number
  readonly milliseconds: number
  readonly unit: Unit
}

/** `250,000 of 1,000,000, 120,000/s, 6 s left`. */
function state({ current, total, achieved, milliseconds, unit }: State): string {
  const perSecond = (achieved / Math.max(milliseconds, 1)) * 1000
  if (total === undefined) return `${unit(current)}, ${unit(perSecond)}/s`
  const left = Math.max(0, total - current) / perSecond
  return `${unit(current)} of ${unit(total)}, ${unit(perSecond)}/s, ${span(left * 1000)} left`
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
