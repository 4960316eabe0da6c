import type { LineUpMeasurement, LineUpRound } from './line-ups.ts'
import { type Spread, spread } from './statistics.ts'

/** A figure of all rounds of a line-up. */
export function figure({ rounds }: LineUpMeasurement, of: (round: LineUpRound) => number): Spread {
  return spread(rounds.map(of))
}

export function throughput(measurement: LineUpMeasurement): Spread {
  return figure(measurement, ({ requestsPerSecond }) => requestsPerSecond)
}

/** The first of these that does as well as the best one: as far as their rounds tell, for their ranges overlap. */
export function smallestOfTheBest(ascending: readonly LineUpMeasurement[]): LineUpMeasurement {
  const [best] = ascending.toSorted((one, other) => throughput(other).median - throughput(one).median)
  const found = ascending.find((one) => best && throughput(one).highest >= throughput(best).lowest)
  if (found === undefined) throw new RangeError('There is nothing to choose from.')
  return found
}

/** The line-ups that differ in the number of processes, or those that differ in their pools; both ascending. */
export function byProcesses(measurements: readonly LineUpMeasurement[]): readonly LineUpMeasurement[] {
  const poolSize = measurements[0]?.lineUp.poolSize
  return measurements.filter(({ lineUp }) => lineUp.poolSize === poolSize)
}

export function byPoolSize(measurements: readonly LineUpMeasurement[]): readonly LineUpMeasurement[] {
  const processes = measurements.at(-1)?.lineUp.processes
  const all = measurements.filter(({ lineUp }) => lineUp.processes === processes)
  return all.toSorted((one, other) => one.lineUp.poolSize - other.lineUp.poolSize)
}
