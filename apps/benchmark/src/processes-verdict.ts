import { groupBy } from './group-by.ts'
import { byPoolSize, byProcesses, figure, smallestOfTheBest, throughput } from './line-up-figures.ts'
import type { LineUpMeasurement, LineUpRound } from './line-ups.ts'
import { spreadText } from './markdown.ts'
import { ratios } from './statistics.ts'

/** The measurements of one placement, for each operation. */
export type ByOperation = readonly (readonly LineUpMeasurement[])[]

/** Cores that work for such a part of the time have nothing to give any more. */
const FULLY_BUSY = 0.95

/** Rounds of one line-up that differ so many times over were not measured on a machine that did nothing else. */
const DISTURBED = 2

/**
 * How many processes there should be, with which pools, and what limits them: six sentences at most. Judged by the first
 * placement; the others are only told. Says nothing about a placement whose rounds differ too much.
 */
export function verdict([placed = [], ...others]: readonly ByOperation[]): string {
  const times = mostDifferent(placed)
  if (times < DISTURBED) return recommendation(placed, others)
  return `The rounds of a line-up differ up to ${times.toFixed(1)} times over, so something else ran meanwhile: nothing is recommended here.`
}

/** How many times as fast as its slowest round the fastest one of a line-up was. */
function mostDifferent(operations: ByOperation): number {
  return Math.max(
    ...operations
      .flat()
      .map(throughput)
      .map(({ highest, lowest }) => highest / lowest),
  )
}

function recommendation(placed: ByOperation, others: readonly ByOperation[]): string {
  const enough = fewest(placed)
  const pools = placed.map((all) => smallestOfTheBest(byPoolSize(all)))
  const ones = placed.map((all) => byProcesses(all)[0] as LineUpMeasurement)
  const most = placed.map((all) => byProcesses(all).at(-1) as LineUpMeasurement)
  const cores = coresIn(placed)
  const processes = Math.max(...enough.map(({ lineUp }) => lineUp.processes))
  const poolSize = Math.max(...pools.map(({ lineUp }) => lineUp.poolSize))
  const cpuTimes = (measurement: LineUpMeasurement, index: number) =>
    `from ${cpu(measurement)} to ${cpu(most[index] ?? measurement)} µs`
  return [
    `With ${count(cores, 'core')} for the services, the fewest processes that did as well as the best were ${fewestText(placed)}.`,
    ...others.map(otherText),
    `At one process ${list(ones, busyText)}.`,
    `At the fewest that did as well as the best, the limit was ${list(enough, limit)}.`,
    `From one process to ${most[0]?.lineUp.processes} the CPU time of the services for a request went ${list(ones, cpuTimes)}.`,
    `With ${count(pools[0]?.lineUp.processes ?? 0, 'process')} the smallest pools that did as well as the best were ${list(pools, ({ lineUp }) => `${lineUp.poolSize}`)}; so, as far as this run goes, take ${amount(processes / cores)} ${processes === cores ? 'process' : 'processes'} for each core that the services have, with \`DATABASE_POOL_SIZE=${poolSize}\`.`,
  ].join(' ')
}

function fewest(operations: ByOperation): LineUpMeasurement[] {
  return operations.map((all) => smallestOfTheBest(byProcesses(all)))
}

function fewestText(operations: ByOperation): string {
  return list(fewest(operations), ({ lineUp, rounds }, index) => {
    const one = byProcesses(operations[index] ?? [])[0]?.rounds ?? []
    const times = spreadText(ratios(rounds.map(rate), one.map(rate)))
    return `${lineUp.processes}${lineUp.processes > 1 ? `, ${times} times one,` : ''}`
  })
}

function otherText(other: ByOperation): string {
  const everybody = `With everybody on ${count(coresIn(other), 'core')}`
  const times = mostDifferent(other)
  if (times < DISTURBED) return `${everybody} they were ${fewestText(other)}.`
  return `${everybody} rounds differ up to ${times.toFixed(1)} times over, which says nothing.`
}

/** How busy the cores were. */
function busyText(measurement: LineUpMeasurement): string {
  const percent = (of: (round: LineUpRound) => number) => `${(figure(measurement, of).median * 100).toFixed(0)}%`
  const services = `the cores of the services were busy for ${percent(serviceCoresBusy)} of the time`
  if (measurement.placement.otherCores.length === 0) return services
  return `${services} and those of client and database for ${percent(otherCoresBusy)}`
}

/** What stood in the way of more. */
function limit(measurement: LineUpMeasurement): string {
  const services = figure(measurement, serviceCoresBusy).median >= FULLY_BUSY
  if (measurement.placement.otherCores.length === 0) return services ? 'the cores' : WAITING
  const others = figure(measurement, otherCoresBusy).median >= FULLY_BUSY
  if (services) return others ? 'the cores' : 'the cores of the services'
  return others ? 'the cores of client and database' : WAITING
}

const WAITING = 'waiting, for no cores were always busy,'

function rate({ requestsPerSecond }: LineUpRound): number {
  return requestsPerSecond
}

function serviceCoresBusy(round: LineUpRound): number {
  return round.serviceCoresBusy
}

function otherCoresBusy(round: LineUpRound): number {
  return round.otherCoresBusy
}

function cpu(measurement: LineUpMeasurement): string {
  return figure(measurement, ({ cpuMicroseconds }) => cpuMicroseconds).median.toFixed(0)
}

function coresIn(operations: ByOperation): number {
  return operations[0]?.[0]?.placement.serviceCores.length ?? 1
}

/** Such as `1 for List 20 and Create; 2 for Get one`. */
function list(items: readonly LineUpMeasurement[], text: (item: LineUpMeasurement, index: number) => string): string {
  const told = items.map((item, index) => ({ title: item.operation.title, said: text(item, index) }))
  return groupBy(told, ({ said }) => said)
    .map(([said, same]) => `${said} for ${same.map(({ title }) => title).join(' and ')}`)
    .join('; ')
}

function count(number: number, what: 'core' | 'process'): string {
  return `${number} ${what}${number === 1 ? '' : what === 'core' ? 's' : 'es'}`
}

function amount(value: number): string {
  return String(Math.round(value * 100) / 100)
}
