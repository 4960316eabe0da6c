import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Comparison } from '../comparison/comparison.ts'
import { compareSlices, ratio } from '../measuring/rotation.ts'
import { type Contestant, type Database, ROOT } from '../servers/contestants.ts'
import type { Facts } from './page.ts'

/** One contestant at one operation, beside the bare server. */
interface Figures {
  /** Requests for the same CPU time. */
  readonly cpu?: number
  readonly throughput?: number
  /** Microseconds of CPU time for one request beyond those of the bare server. */
  readonly own?: number
  /** The 99th percentile of the latency at half of the peak. */
  readonly p99?: number
}

/** What was measured on one machine: figures by database, contestant and operation. */
export interface Machine {
  readonly machine: string
  readonly date: string
  readonly commit: string
  readonly source: string
  readonly figures: Readonly<Record<Database, Readonly<Record<string, Readonly<Record<string, Figures>>>>>>
}

const FILE = join(ROOT, 'docs/benchmarks/machines.json')

export function readMachines(): Machine[] {
  return JSON.parse(readFileSync(FILE, 'utf8'))
}

export function writeMachines(machines: readonly Machine[]): void {
  // One line for the figures of one operation.
  const text = JSON.stringify(machines, undefined, 2).replaceAll(/\{[^{}]+\}/g, (figures) =>
    figures.replaceAll(/\s+/g, ' '),
  )
  writeFileSync(FILE, `${text}\n`)
}

/** The machines with the figures of this run, which take the place of earlier ones of the same machine. */
export function withThisMachine(
  machines: readonly Machine[],
  comparisons: readonly Comparison[],
  { machine, date, commit, command }: Facts,
): Machine[] {
  const figures = Object.fromEntries(comparisons.map((comparison) => [comparison.database, figuresOf(comparison)]))
  const own = { machine, date, commit, source: command, figures: { sqlite: {}, postgres: {}, ...figures } }
  return [...machines.filter((other) => other.machine !== machine), own]
}

function figuresOf({ contestants, measurements, latency }: Comparison): Record<string, Record<string, Figures>> {
  const ofContestant = (contestant: Contestant): Record<string, Figures> => {
    const p99 = latency.find((one) => one.contestant === contestant && one.part === 0.5)?.series
    const all = measurements.filter((one) => one.contestant === contestant)
    const figures = all.map(({ operation, series }): [string, Figures] => [
      operation.id,
      {
        cpu: rounded(ratio(series, ({ cpuMicroseconds }) => 1 / cpuMicroseconds).middle),
        throughput: rounded(ratio(series, ({ requestsPerSecond }) => requestsPerSecond).middle),
        own: rounded(
          compareSlices(
            series,
            ({ cpuMicroseconds }) => cpuMicroseconds,
            (one, bare) => one - bare,
          ).middle,
        ),
        ...(operation.id === 'mixed' && p99 && { p99: rounded(ratio(p99, ({ p99Ms }) => p99Ms).middle) }),
      },
    ])
    return Object.fromEntries(figures)
  }
  return Object.fromEntries(contestants.slice(1).map((contestant) => [contestant.id, ofContestant(contestant)]))
}

function rounded(value: number): number {
  return Number(value.toFixed(2))
}

/** From the lowest to the highest of the machines; `undefined` where none has the figure. */
export function rangeOf(
  machines: readonly Machine[],
  database: Database,
  contestant: string,
  operation: string,
  figure: keyof Figures,
): { readonly low: number; readonly high: number } | undefined {
  const values = machines.flatMap(({ figures }) => figures[database][contestant]?.[operation]?.[figure] ?? [])
  return values.length === 0 ? undefined : { low: Math.min(...values), high: Math.max(...values) }
}
