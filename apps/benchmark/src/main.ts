import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { type Comparison, compare } from './comparison.ts'
import { comparisonReport, type Report } from './comparison-report.ts'
import { ROOT } from './contestant.ts'
import { GREATEST_SIZE, measureGrowth, SIZES } from './growth.ts'
import { growthReport } from './growth-report.ts'
import { circumstances, versions } from './machine.ts'
import { preparePeers } from './peers.ts'
import { pinProcess } from './pinning.ts'
import { FULL, QUICK } from './plan.ts'
import { profileService } from './profile.ts'
import { profileReport } from './profile-report.ts'
import { select } from './selection.ts'

const HELP = `pnpm bench                      compares everybody on both databases; ten minutes at most
pnpm bench --quick              the same for a first look; two minutes
pnpm bench --only sqlite-get    only operations whose names begin so; several with commas
pnpm bench --contestants pet    only contestants whose names begin so, and the one they are compared with
pnpm bench --growth             the service with 1 thousand to 1 million pets; with --full to 10 million
pnpm bench --profile            where the service spends its time

Reports of whole runs go to docs/benchmarks, those of shortened ones to data/benchmarks.`

const OPTIONS = {
  quick: { type: 'boolean', default: false },
  only: { type: 'string', default: '' },
  contestants: { type: 'string', default: '' },
  growth: { type: 'boolean', default: false },
  full: { type: 'boolean', default: false },
  profile: { type: 'boolean', default: false },
  help: { type: 'boolean', default: false },
} as const

const start = performance.now()

try {
  await main()
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
}

async function main(): Promise<void> {
  const { values } = parseArgs({ options: OPTIONS })
  if (values.help) {
    console.log(HELP)
    return
  }
  if (!existsSync('/proc/self/stat')) throw new Error('CPU time and memory are read from /proc, which only Linux has.')
  const pinning = pinProcess()
  const facts = circumstances(['pnpm bench', ...process.argv.slice(2)].join(' '), pinning.description)
  if (values.growth) {
    const sizes = values.full ? [...SIZES, GREATEST_SIZE] : SIZES
    keep(growthReport(await measureGrowth({ sizes, pinning, say }), facts), true)
    return
  }
  if (values.profile) {
    keep(profileReport(await profileService(pinning, say), facts), true)
    return
  }
  const plan = values.quick ? QUICK : FULL
  const selections = select(words(values.only), words(values.contestants))
  if (selections.some(({ contestants }) => contestants.some(({ role }) => role === 'peer'))) {
    say('installing and building the peers')
    preparePeers()
  }
  const comparisons: Comparison[] = []
  for (const selection of selections) {
    const sayOn = (line: string) => say(`${selection.database}: ${line}`)
    comparisons.push(await compare(selection, { plan, pinning, say: sayOn }))
  }
  const isWhole = plan === FULL && values.only === '' && values.contestants === ''
  keep(comparisonReport(comparisons, facts, versions()), isWhole)
}

function words(list: string): string[] {
  return list.split(',').filter((word) => word !== '')
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
