import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { measureBulk } from './bulk.ts'
import { bulkReport } from './bulk-report.ts'
import { type Choice, type ComparisonChoice, choose, HELP } from './command-line.ts'
import { type Comparison, compare } from './comparison.ts'
import { comparisonReport, type Report } from './comparison-report.ts'
import { ROOT } from './contestant.ts'
import { GREATEST_SIZE, measureGrowth, SIZES } from './growth.ts'
import { growthReport } from './growth-report.ts'
import { type Circumstances, circumstances, versions } from './machine.ts'
import { preparePeers } from './peers.ts'
import { type Pinning, pinProcess } from './pinning.ts'
import { FULL, QUICK } from './plan.ts'
import { measureProcesses } from './processes.ts'
import { FULL_PROCESSES, QUICK_PROCESSES } from './processes-plan.ts'
import { processesReport } from './processes-report.ts'
import { profileService } from './profile.ts'
import { profileReport } from './profile-report.ts'
import { select } from './selection.ts'

const BULK_ROUNDS = 2

const start = performance.now()

try {
  await main(choose(process.argv.slice(2)))
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
}

async function main(choice: Choice): Promise<void> {
  if (choice.run === 'help') {
    console.log(HELP)
    return
  }
  if (!existsSync('/proc/self/stat')) throw new Error('CPU time and memory are read from /proc, which only Linux has.')
  if (choice.run === 'processes') {
    // It runs several times, on other cores each time.
    const plan = choice.isWhole ? FULL_PROCESSES : QUICK_PROCESSES
    const figures = await measureProcesses({ plan, say })
    keep(processesReport(figures, plan, facts('as each section says')), choice.isWhole)
    return
  }
  const pinning = pinProcess()
  const here = facts(pinning.description)
  if (choice.run === 'growth') {
    const sizes = choice.isFull ? [...SIZES, GREATEST_SIZE] : SIZES
    keep(growthReport(await measureGrowth({ sizes, pinning, say }), here), true)
  } else if (choice.run === 'bulk') {
    const figures = await measureBulk({ pets: choice.pets, rounds: BULK_ROUNDS, pinning, say })
    keep(bulkReport(figures, here), choice.isWhole)
  } else if (choice.run === 'profile') {
    keep(profileReport(await profileService(pinning, say), here), true)
  } else {
    keep(comparisonReport(await runComparison(choice, pinning), here, versions()), choice.isWhole)
  }
}

async function runComparison(
  { isQuick, only, contestants }: ComparisonChoice,
  pinning: Pinning,
): Promise<readonly Comparison[]> {
  const selections = select(only, contestants)
  if (selections.some((selection) => selection.contestants.some(({ role }) => role === 'peer'))) {
    say('installing and building the peers')
    preparePeers()
  }
  const comparisons: Comparison[] = []
  for (const selection of selections) {
    const sayOn = (line: string) => say(`${selection.database}: ${line}`)
    comparisons.push(await compare(selection, { plan: isQuick ? QUICK : FULL, pinning, say: sayOn }))
  }
  return comparisons
}

function facts(cores: string): Circumstances {
  return circumstances(['pnpm bench', ...process.argv.slice(2)].join(' '), cores)
}

function say(line: string): void {
  console.error(`${((performance.now() - start) / 1000).toFixed(0).padStart(4)} s  ${line}`)
}

/** A document never holds half a measurement: only whole runs are kept where others read. */
function keep(report: Report, isWhole: boolean): void {
  const folder = join(ROOT, isWhole ? 'docs/benchmarks' : 'data/benchmarks')
  mkdirSync(folder, { recursive: true })
  for (const [name, content] of Object.entries(report)) writeFileSync(join(folder, name), content)
  say(`written to ${folder}: ${Object.keys(report).join(', ')}`)
}
