import { progress as progressBar } from '@clack/prompts'

/** Shows how far long work is: a bar on a terminal, else a plain line now and then. Always on standard error. */
export interface Progress {
  /** Begins a part of the work; `done` of it may be done already. */
  begin(what: string, total: number, done?: number): Meter
}

/** One part of the work. */
export interface Meter {
  advance(count: number): void
  end(): void
}

const LINE_INTERVAL_MS = 2_000

export function createProgress(now: () => number = () => performance.now()): Progress {
  const show = process.stderr.isTTY ? showBar : showLines
  return {
    begin(what, total, done = 0) {
      const start = now()
      let current = done
      const view = show(what, total)
      view.update(done, what)
      return {
        advance(count) {
          current += count
          view.update(count, `${what}: ${state(current, total, current - done, now() - start)}`)
        },
        end: () => view.end(`${what}: ${current.toLocaleString('en')}, ${span(now() - start)}`),
      }
    },
  }
}

/** How it stands: `250,000 of 1,000,000, 120,000/s, 6 s left`. */
function state(current: number, total: number, achieved: number, milliseconds: number): string {
  const perSecond = (achieved / Math.max(milliseconds, 1)) * 1000
  const left = Math.max(0, total - current) / perSecond
  return `${current.toLocaleString('en')} of ${total.toLocaleString('en')}, ${Math.round(perSecond).toLocaleString('en')}/s, ${span(left * 1000)} left`
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
  return { update: (count, text) => bar.advance(count, text), end: (text) => bar.stop(text) }
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
