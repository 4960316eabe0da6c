import { progress as progressBar } from '@clack/prompts'

/** Shows how far long work is: a bar on a terminal, else a plain line now and then. Always on standard error. */
export interface Progress {
  /** Begins a part of the work; `done` of it may be done already. A total that nobody knows is `undefined`. */
  begin(what: string, total: number | undefined, done?: number, unit?: Unit): Meter
}

/** How an amount of work is written. */
export type Unit = (amount: number) => string

const NUMBER: Unit = (amount) => Math.round(amount).toLocaleString('en')
export const MEGABYTES: Unit = (bytes) => `${(bytes / 1e6).toLocaleString('en', { maximumFractionDigits: 1 })} MB`

/** One part of the work. */
export interface Meter {
  advance(count: number): void
  end(): void
}

const LINE_INTERVAL_MS = 2_000

export function createProgress(now: () => number = () => performance.now()): Progress {
  return {
    begin(what, total, done = 0, unit = NUMBER) {
      const start = now()
      let current = done
      const view = process.stderr.isTTY && total !== undefined ? showBar(what, total) : showLines()
      view.update(done, what)
      return {
        advance(count) {
          current += count
          view.update(
            count,
            `${what}: ${state({ current, total, achieved: current - done, milliseconds: now() - start, unit })}`,
          )
        },
        end: () => view.end(`${what}: ${unit(current)}, ${span(now() - start)}`),
      }
    },
  }
}

interface State {
  readonly current: number
  readonly total: number | undefined
  readonly achieved: number
  readonly milliseconds: number
  readonly unit: Unit
}

/** How it stands: `250,000 of 1,000,000, 120,000/s, 6 s left`. */
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

interface View {
  update(count: number, text: string): void
  end(text: string): void
}

function showBar(what: string, total: number): View {
  const bar = progressBar({ max: Math.max(total, 1), output: process.stderr })
  bar.start(what)
  process.once('exit', exitAsInterrupted)
  return {
    update: (count, text) => bar.advance(count, text),
    end(text) {
      process.off('exit', exitAsInterrupted)
      bar.stop(text)
    },
  }
}

/** The bar takes Ctrl+C to itself, and ends the program with exit code 0 as if the work were done. */
function exitAsInterrupted(code: number): void {
  if (code === 0) process.exitCode = 130
}

function showLines(): View {
  let last = Date.now()
  return {
    update(_, text) {
      if (Date.now() - last < LINE_INTERVAL_MS) return
      last = Date.now()
      console.error(text)
    },
    end: (text) => console.error(text),
  }
}
