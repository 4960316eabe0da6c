import { once } from 'node:events'
import { PassThrough } from 'node:stream'
import type { TestEvent } from 'node:test/reporters'
import { dot, junit, spec, tap } from 'node:test/reporters'

/** An event of Node's test runner. */
export type RunnerEvent = TestEvent

/** The reporters of Node that need no files. */
export const REPORTERS = ['spec', 'tap', 'dot', 'junit'] as const
export type ReporterName = (typeof REPORTERS)[number]

interface Reporter {
  readonly write: (event: RunnerEvent) => void
  /** Resolves when everything was printed. */
  end(): Promise<void>
}

/** Prints events to standard output as one of Node's reporters does; without a name nothing. */
export function createReporter(name: ReporterName | undefined): Reporter {
  if (name === undefined) return { write: () => {}, end: async () => {} }
  const events = new PassThrough({ objectMode: true })
  const printed =
    name === 'spec'
      ? events.pipe(new spec())
      : events.compose<NodeJS.ReadWriteStream>({ dot, junit, tap }[name])
  // Piped, it would never end once standard output was closed.
  printed.on('data', (text) => process.stdout.write(text))
  return {
    write: (event) => void events.write(event),
    async end() {
      const ended = once(printed, 'end')
      events.end()
      await ended
    },
  }
}
