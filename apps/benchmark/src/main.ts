import { once } from 'node:events'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Choice, choose, HELP } from './command-line.ts'
import { type Comparison, compare } from './comparison/comparison.ts'
import { growthSelections, processesSelection, type Selection } from './comparison/plan.ts'
import { comparisonReport } from './report/comparison-report.ts'
import { factsOf, type Report } from './report/facts.ts'
import { readMachines, withThisMachine, writeMachines } from './report/machines.ts'
import { requestTimeReport } from './report/request-time.ts'
import { scaleReport } from './report/scale-report.ts'
import { measureBulk } from './scale/bulk.ts'
import { preparePeers, ROOT, tracingContestants } from './servers/contestants.ts'
import { pinProcesses } from './servers/server-process.ts'

const SIZES = [1_000, 10_000, 100_000, 1_000_000, 10_000_000]
const RUNS = {
  scale: runScale,
  profile: runProfile,
  tracing: runTracing,
  comparison: runComparison,
}
const start = performance.now()

try {
  const choice = choose(process.argv.slice(2))
  if (choice.run === 'help') console.log(HELP)
  else if (!existsSync('/proc/self/schedstat'))
    throw new Error('CPU time is read from /proc, which only Linux has.')
  else {
    useTemporaryFolder()
    write(await RUNS[choice.run](choice), choice.isComplete)
  }
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
}

/** Everything that a run leaves lies in one folder, which is removed with it. */
function useTemporaryFolder(): void {
  const folder = mkdtempSync(join(tmpdir(), 'pet-store-benchmark-'))
  // PostgreSQL runs as another user where this process is root.
  chmodSync(folder, 0o711)
  process.env['TMPDIR'] = folder
  process.on('exit', () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }))
}

async function runScale({ pets, sections }: Choice): Promise<Report> {
  // Several processes run on all cores, so they come before anything is pinned.
  const processes = sections.includes('processes')
    ? await compareAll([processesSelection([1, 2, 4])])
    : []
  const facts = factsOf(pinProcesses())
  const sizes = SIZES.filter((size) => size <= pets)
  const growth = sections.includes('growth') ? await compareAll(growthSelections(sizes)) : []
  const bulk = sections.includes('bulk') ? await measureBulk(pets, log) : []
  return scaleReport(growth, bulk, processes, facts)
}

function runProfile(): Promise<Report> {
  return requestTimeReport(factsOf(pinProcesses()), log)
}

/** What tracing costs the service, with a collector that takes everything at once. */
async function runTracing({ selections }: Choice): Promise<Report> {
  const facts = factsOf(pinProcesses())
  const collector = createServer((request, response) =>
    request.resume().on('end', () => response.end('{}')),
  ).unref()
  await once(collector.listen(0, '127.0.0.1'), 'listening')
  const contestants = tracingContestants(
    `http://127.0.0.1:${(collector.address() as AddressInfo).port}`,
  )
  const traced = selections.map((selection) => ({ ...selection, contestants }))
  return comparisonReport(await compareAll(traced), readMachines(), facts)
}

async function runComparison({ selections, isComplete }: Choice): Promise<Report> {
  const facts = factsOf(pinProcesses())
  if (selections.some(({ contestants }) => contestants.some(({ role }) => role === 'peer')))
    preparePeers()
  const comparisons = await compareAll(selections)
  // The figures of machines are ratios to the bare server, with which not every run compares.
  const withBare = comparisons.filter(({ contestants }) => contestants[0]?.role === 'bare')
  const machines = withThisMachine(readMachines(), withBare, facts)
  if (isComplete) writeMachines(machines)
  return comparisonReport(comparisons, machines, facts)
}

async function compareAll(selections: readonly Selection[]): Promise<Comparison[]> {
  const comparisons: Comparison[] = []
  for (const selection of selections) comparisons.push(await compare(selection, log))
  return comparisons
}

function log(line: string): void {
  console.error(`${((performance.now() - start) / 1000).toFixed(0).padStart(4)} s  ${line}`)
}

function write(report: Report, isComplete: boolean): void {
  const folder = join(ROOT, isComplete ? 'docs/benchmarks' : 'data/benchmarks')
  mkdirSync(folder, { recursive: true })
  for (const [name, content] of Object.entries(report)) writeFileSync(join(folder, name), content)
  log(`written to ${folder}: ${Object.keys(report).join(', ')}`)
}
