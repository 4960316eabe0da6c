import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { FULL, QUICK, type Selection } from './comparison/plan.ts'
import { OPERATIONS } from './requests/operations.ts'
import { CONTESTANTS, type Contestant, DATABASES, SERVICE } from './servers/contestants.ts'

export const HELP = `pnpm bench                       compares all on both databases: twelve minutes
pnpm bench --quick               the same with fewer rounds; three minutes
pnpm bench --only sqlite-get     only operations whose names begin like this; several with commas
pnpm bench --against FOLDER      compares the service with another checkout, built there
pnpm bench --beside URL          compares the service on this PostgreSQL database, which is migrated
                                 and has no pets, with the service on a new one
pnpm bench --tracing             compares the service without traces, with every tenth and with all
pnpm bench --profile             where the time of a request goes; two minutes
pnpm bench --scale               growth, bulk work and several processes, with up to 1 million pets
pnpm bench --scale --pets 50000  the same with up to 50,000 pets
pnpm bench --scale --only bulk   only one of growth, bulk and processes

Complete runs write to docs/benchmarks, the others to data/benchmarks.`

const SECTIONS = ['growth', 'bulk', 'processes']
/** What runs instead of a comparison; the first that is named. */
const RUNS = ['help', 'scale', 'profile', 'tracing'] as const
const OPTIONS = {
  quick: { type: 'boolean' },
  scale: { type: 'boolean' },
  profile: { type: 'boolean' },
  tracing: { type: 'boolean' },
  help: { type: 'boolean' },
  only: { type: 'string', default: '' },
  against: { type: 'string' },
  beside: { type: 'string' },
  pets: { type: 'string', default: '1000000' },
} as const

export type Choice = ReturnType<typeof choose>

/** What to run, from the arguments of the program. Throws a sentence when they are invalid. */
export function choose(args: readonly string[]) {
  const { values } = parseArgs({ args: [...args], options: OPTIONS })
  const { quick, scale, tracing, help, only, against, beside, pets } = values
  if (!/^[1-9][0-9]*000$/.test(pets))
    throw new RangeError(`--pets must be thousands, got ${JSON.stringify(pets)}.`)
  const sections = SECTIONS.filter((section) => startsWithAny(section, only))
  const selections = DATABASES.map((database): Selection => {
    const operations = OPERATIONS.filter(({ id }) => startsWithAny(`${database}-${id}`, only))
    const other = against === undefined ? beside && serviceOn(beside) : serviceIn(against)
    const contestants = other ? [SERVICE, other] : CONTESTANTS[database]
    return { database, operations, contestants, plan: quick ? QUICK : FULL }
  })
    .filter(({ database }) => beside === undefined || database === 'postgres')
    .filter(({ operations }) => operations.length > 0)
  if (!help && (scale ? sections : selections).length === 0) {
    const names = scale
      ? SECTIONS
      : OPERATIONS.flatMap(({ id }) => DATABASES.map((database) => `${database}-${id}`))
    throw new RangeError(`--only must name some of ${names.join(', ')}.`)
  }
  // Only a complete run is written to the documents.
  const isBare = against === undefined && beside === undefined
  const isComplete = only === '' && isBare && !tracing && !quick
  const run = RUNS.find((name) => values[name]) ?? ('comparison' as const)
  return { run, isComplete, selections, sections, pets: Number(pets) }
}

/** The service of another checkout, which shows what a change costs or gains. */
function serviceIn(checkout: string) {
  const program = [resolve(checkout, 'apps/api/bin/pet-store.js'), 'serve']
  return { ...SERVICE, id: 'other', name: `Pet Store in ${checkout}`, program }
}

/** The service on another database, which shows what its engine costs or gains. */
function serviceOn(databaseUrl: string): Contestant {
  return { ...SERVICE, id: 'beside', name: 'Pet Store on the given database', databaseUrl }
}

/**
 * Whether a name begins with one of these words, which commas separate. Every name does when there
 * is none.
 */
function startsWithAny(name: string, words: string): boolean {
  return words.split(',').some((word) => name.startsWith(word))
}
