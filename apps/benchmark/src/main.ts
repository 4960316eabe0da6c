import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Choice, choose, HELP } from './command-line.ts'
import { type Comparison, compare, FOCUS } from './comparison/comparison.ts'
import { comparisonReport } from './comparison/comparison-report.ts'
import { FULL, QUICK } from './comparison/plan.ts'
import { profileService } from './profile/profile.ts'
import { circumstances } from './report/circumstances.ts'
import type { Report } from './report/markdown.ts'
import { measureBulk } from './scale/bulk.ts'
import { measureGrowth } from './scale/growth.ts'
import { measureProcesses } from './scale/processes.ts'
import { type ScaleFigures, scaleReport } from './scale/scale-report.ts'
import { ROOT } from './servers/contestants.ts'
import { peerVersions, preparePeers } from './servers/peers.ts'
import { pinProcesses } from './servers/pinning.ts'

type ChoiceOf<Run extends Choice['run']> = Extract<Choice, { run: Run }>

const BULK_ROUNDS = 2
const PROCESSES = { size: 10_000, processes: [1, 2, 4], rounds: 12, sliceMs: 150, warmUpMs: 1_200 }
const RESULTS = join(ROOT, 'data/benchmarks')

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
  if (!existsSync('/proc/self/schedstat')) {
    throw new Error('CPU time and memory are read from /proc, which only Linux has.')
  }
  if (choice.run === 'scale') {
    // Several processes run on all cores, so they come before anything is pinned.
    const processes = choice.sections.includes('processes') ? await measureProcesses(PROCESSES, log) : undefined
    write(
      await runScale(choice, processes === undefined ? {} : { processes }, facts(pinProcesses())),
      choice.isComplete,
    )
    return
  }
  const here = facts(pinProcesses())
  if (choice.run === 'comparison') write(await runComparison(choice, here), choice.isComplete)
  else write(await profileService(here, log), true)
}

async function runScale({ pets, sections }: ChoiceOf<'scale'>, figures: ScaleFigures, here: Facts): Promise<Report> {
  const sizes = [1_000, 10_000, 100_000, 1_000_000, 10_000_000].filter((size) => size <= pets)
  const growth = sections.includes('growth') && { growth: await measureGrowth(sizes, log) }
  const bulk = sections.includes('bulk') && { bulk: await measureBulk(pets, BULK_ROUNDS, log) }
  return scaleReport({ ...figures, ...growth, ...bulk }, here)
}

async function runComparison({ isQuick, selections }: ChoiceOf<'comparison'>, here: Facts): Promise<Report> {
  if (selections.some(({ contestants }) => contestants.some(({ role }) => role === 'peer'))) {
    log('installing and building the peers')
    preparePeers()
  }
  const plan = isQuick ? QUICK : FULL
  const comparisons = selections.map((): Comparison[] => [])
  for (let run = 1; run <= plan.runs; run += 1) {
    for (const [index, { contestants, ...selection }] of selections.entries()) {
      // Later runs show whether the ratios of our service repeat.
      const some = run === 1 ? contestants : contestants.slice(0, FOCUS)
      const ofRun = run === 1 ? plan : { ...plan, curveRounds: 0 }
      const conditions = { plan: ofRun, log: (line: string) => log(`run ${run}, ${selection.database}: ${line}`) }
      comparisons[index]?.push(await compare({ ...selection, contestants: some }, conditions))
    }
  }
  mkdirSync(RESULTS, { recursive: true })
  // Every slice, to evaluate them in another way.
  writeFileSync(join(RESULTS, 'slices.json'), JSON.stringify(comparisons))
  return comparisonReport(comparisons, here, peerVersions())
}

type Facts = ReturnType<typeof facts>

function facts(cores: string) {
  return circumstances(['pnpm bench', ...process.argv.slice(2)].join(' '), cores)
}

function log(line: string): void {
  console.error(`${((performance.now() - start) / 1000).toFixed(0).padStart(4)} s  ${line}`)
}

function write(report: Report, isComplete: boolean): void {
  const folder = isComplete ? join(ROOT, 'docs/benchmarks') : RESULTS
  mkdirSync(folder, { recursive: true })
  for (const [name, content] of Object.entries(report)) writeFileSync(join(folder, name), content)
  log(`written to ${folder}: ${Object.keys(report).join(', ')}`)
}
