import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Comparison } from '../comparison/comparison.ts'
import { difference, ratio } from '../measuring/rotation.ts'
import type { Estimate } from '../measuring/statistics.ts'
import { MIXED } from '../requests/operations.ts'
import { ROOT } from '../servers/contestants.ts'
import type { Facts } from './facts.ts'

/** One contestant at one operation, beside the bare server. */
interface Figures {
  /** Requests for the same CPU time. */
  readonly cpu: number
  readonly throughput?: number
  /** Microseconds of CPU time for one request beyond those of the bare server. */
  readonly own?: number
  /** The 99th percentile of the latency at half of the peak. */
  readonly p99?: number
}

/** What was measured on one machine, and where the figures are from. */
export interface Machine extends Pick<Facts, 'machine' | 'date' | 'commit'> {
  readonly source: string
  /** By database, contestant and operation: `sqlite/pet-store/get`. */
  readonly figures: Readonly<Record<string, Figures>>
}

const FILE = join(ROOT, 'docs/benchmarks/machines.json')

export function readMachines(): Machine[] {
  return JSON.parse(readFileSync(FILE, 'utf8'))
}

/** The machines that have all of these figures, so that they can be compared. */
export function machinesWith(
  machines: readonly Machine[],
  names: readonly string[],
): readonly Machine[] {
  return machines.filter(({ figures }) => names.every((name) => name in figures))
}

/** Writes the figures of one operation into one line. */
export function writeMachines(machines: readonly Machine[]): void {
  const text = JSON.stringify(machines, undefined, 2)
  writeFileSync(
    FILE,
    `${text.replaceAll(/\{[^{}]+\}/g, (figures) => figures.replaceAll(/\s+/g, ' '))}\n`,
  )
}

/**
 * The machines with the figures of this run, which take the place of earlier ones of the same
 * machine.
 */
export function withThisMachine(
  machines: readonly Machine[],
  comparisons: readonly Comparison[],
  { machine, date, commit, command: source }: Facts,
): Machine[] {
  const figures = Object.fromEntries(comparisons.flatMap(figuresOf))
  return [
    ...machines.filter((other) => other.machine !== machine),
    { machine, date, commit, source, figures },
  ]
}

function figuresOf({
  database,
  contestants,
  measurements,
  latency,
}: Comparison): [string, Figures][] {
  const compared = measurements.filter(({ contestant }) => contestant !== contestants[0])
  return compared.map(({ contestant, operation, series }) => {
    const hasLatency = operation === MIXED && contestant === contestants[1] && latency !== undefined
    const figures = {
      cpu: rounded(ratio(series, 'requestsPerCpuSecond')),
      throughput: rounded(ratio(series, 'requestsPerSecond')),
      own: rounded(difference(series, 'cpuMicroseconds')),
      ...(hasLatency && { p99: rounded(ratio(latency.series, 'p99Ms')) }),
    }
    return [`${database}/${contestant.id}/${operation.id}`, figures]
  })
}

function rounded({ middle }: Estimate): number {
  return Number(middle.toFixed(2))
}

/** From the lowest to the highest of the machines; `undefined` if none has the figure. */
export function rangeOf(machines: readonly Machine[], key: string, figure: keyof Figures) {
  const values = machines.flatMap(({ figures }) => figures[key]?.[figure] ?? [])
  return values.length === 0 ? undefined : { low: Math.min(...values), high: Math.max(...values) }
}
