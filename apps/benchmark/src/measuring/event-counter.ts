import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import type { Writable } from 'node:stream'
import { text } from 'node:stream/consumers'

/** What perf counts, between two moments. */
export interface EventCounter {
  enable(): void
  disable(): void
  /** Ends the count, and returns it. */
  read(): Promise<number>
}

/** Whether this machine counts instructions; most virtual machines do not. */
export const countsInstructions = isCounted('instructions:u')

/** Counts an event of perf in processes and all their threads. */
export async function openEventCounter(event: string, pids: readonly number[]): Promise<EventCounter> {
  // -D -1: perf waits for commands, here on the file descriptor 3.
  const args = ['stat', '-x,', '-e', event, '-D', '-1', '--control', 'fd:3', '-p', pids.join(',')]
  const perf = spawn('perf', args, { stdio: ['ignore', 'ignore', 'pipe', 'pipe'] })
  const [, , output, control] = perf.stdio as unknown as [null, null, NodeJS.ReadableStream, Writable]
  await once(output, 'readable')
  const written = text(output)
  return {
    enable: () => control.write('enable\n'),
    disable: () => control.write('disable\n'),
    async read() {
      perf.kill('SIGINT')
      return countIn(await written, event) ?? Number.NaN
    },
  }
}

function isCounted(event: string): boolean {
  const { stderr } = spawnSync('perf', ['stat', '-x,', '-e', event, 'true'], { encoding: 'utf8' })
  return countIn(stderr ?? '', event) !== undefined
}

/** The count in the output of perf, such as `12345,,instructions:u,…`; `undefined` for `<not supported>`. */
function countIn(output: string, event: string): number | undefined {
  const line = output.split('\n').find((some) => some.includes(`,${event},`))
  // For a clock the first field is in milliseconds, the fourth in nanoseconds.
  const [first = '', unit, , count = ''] = line?.split(',') ?? []
  const value = Number.parseFloat(unit === 'msec' ? count : first)
  return Number.isNaN(value) ? undefined : value
}
