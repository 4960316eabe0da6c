import type { Report } from './comparison-report.ts'
import { groupBy } from './group-by.ts'
import { byPoolSize, byProcesses, figure, throughput } from './line-up-figures.ts'
import type { LineUpMeasurement, LineUpRound } from './line-ups.ts'
import type { Circumstances } from './machine.ts'
import { circumstancesTable, spreadText, table } from './markdown.ts'
import type { ProcessesFigures } from './processes.ts'
import type { ProcessesPlan } from './processes-plan.ts'
import { verdict } from './processes-verdict.ts'
import { ratios } from './statistics.ts'

const FIGURES = ['requests/s', 'times the first row', 'CPU µs/request', 'p99 ms', 'cores of the services busy, %']

/** How throughput grows with processes, and what limits it. */
export function processesReport(
  { server, measurements }: ProcessesFigures,
  plan: Pick<ProcessesPlan, 'size' | 'connections'>,
  circumstances: Circumstances,
): Report {
  const places = groupBy(measurements, ({ placement }) => placement).map(([, inPlace]) =>
    groupBy(inPlace, ({ operation }) => operation).map(([, all]) => all),
  )
  const [first = []] = places
  const page = [
    '# How throughput grows with processes',
    verdict(places),
    `${plan.connections} connections, each with one request at a time, spread evenly over the processes, which serve one database with ${plan.size.toLocaleString('en')} pets. Requests and their p99 are of all processes together, CPU time is that of the services. The median of all rounds, and the lowest and the highest; ratios are formed within each round. Processes that have no clients in a row stay, and have nothing to do.`,
    circumstancesTable([...circumstances, ['PostgreSQL', server]]),
    ...places.flatMap((operations) => [
      `## ${operations[0]?.[0]?.placement.title}`,
      ...operations.flatMap((all) =>
        section(all[0]?.operation.title ?? '', 'processes', byProcesses(all), ({ lineUp }) => lineUp.processes),
      ),
    ]),
    `## Pools, with ${first[0]?.at(-1)?.lineUp.processes} processes, placed as at the top`,
    ...first.flatMap((all) =>
      section(all[0]?.operation.title ?? '', 'connections', byPoolSize(all), ({ lineUp }) => lineUp.poolSize),
    ),
  ]
  return { 'processes.md': `${page.join('\n\n')}\n` }
}

function section(
  title: string,
  what: string,
  measurements: readonly LineUpMeasurement[],
  numberOf: (measurement: LineUpMeasurement) => number,
): string[] {
  const isApart = measurements.some(({ placement }) => placement.otherCores.length > 0)
  const heads = [what, ...FIGURES, ...(isApart ? ['cores of client and database busy, %'] : [])]
  const rows = measurements.map((measurement) => {
    const text = (digits: number, of: (round: LineUpRound) => number) => spreadText(figure(measurement, of), digits)
    const cells = [
      String(numberOf(measurement)),
      spreadText(throughput(measurement), 0),
      spreadText(ratios(rates(measurement), rates(measurements[0]))),
      text(1, ({ cpuMicroseconds }) => cpuMicroseconds),
      text(1, ({ p99Ms }) => p99Ms),
      text(0, ({ serviceCoresBusy }) => serviceCoresBusy * 100),
    ]
    return isApart ? [...cells, text(0, ({ otherCoresBusy }) => otherCoresBusy * 100)] : cells
  })
  return [`### ${title}`, table(heads, rows)]
}

function rates(measurement: LineUpMeasurement | undefined): number[] {
  return measurement?.rounds.map(({ requestsPerSecond }) => requestsPerSecond) ?? []
}
