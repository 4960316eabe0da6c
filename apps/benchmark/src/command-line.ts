import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import type { Selection } from './comparison/comparison.ts'
import { OPERATIONS } from './requests/operations.ts'
import { CONTESTANTS, DATABASES } from './servers/contestants.ts'

export const HELP = `pnpm bench                       compares all contestants on both databases, in two runs; twelve minutes
pnpm bench --quick               the same in one short run; three minutes
pnpm bench --only sqlite-get     only operations whose names begin like this; several with commas
pnpm bench --contestants pet     only contestants whose names begin like this, and the bare server
pnpm bench --against FOLDER      compares the service with that of another checkout, built there
pnpm bench --scale               growth, bulk work and several processes, with up to 1 million pets
pnpm bench --scale --pets 50000  the same with up to 50,000 pets
pnpm bench --scale --only bulk   only one of growth, bulk and processes
pnpm bench --profile             where the service spends its time

Complete runs write to docs/benchmarks, the others to data/benchmarks.`

const SECTIONS = ['growth', 'bulk', 'processes'] as const

/** What to run. Only a complete run is written to the documents. */
export type Choice =
  | { readonly run: 'help' | 'profile' }
  | {
      readonly run: 'scale'
      readonly pets: number
      readonly sections: readonly (typeof SECTIONS)[number][]
      readonly isComplete: boolean
    }
  | {
      readonly run: 'comparison'
      readonly isQuick: boolean
      readonly selections: readonly Selection[]
      readonly isComplete: boolean
    }

const OPTIONS = {
  quick: { type: 'boolean', default: false },
  only: { type: 'string', default: '' },
  contestants: { type: 'string', default: '' },
  against: { type: 'string', default: '' },
  scale: { type: 'boolean', default: false },
  pets: { type: 'string', default: '1000000' },
  profile: { type: 'boolean', default: false },
  help: { type: 'boolean', default: false },
} as const

/** Reads the arguments of the program. Throws a sentence when they are invalid. */
export function choose(args: readonly string[]): Choice {
  const { values } = parseArgs({ args: [...args], options: OPTIONS })
  const { quick: isQuick, only, contestants, against, scale, profile, help } = values
  if (help) return { run: 'help' }
  if (profile) return { run: 'profile' }
  if (scale) {
    const sections = SECTIONS.filter((section) => startsWithAny(section, only))
    if (sections.length === 0) throw new RangeError(`--only must name some of ${SECTIONS.join(', ')}.`)
    return { run: 'scale', pets: readPets(values.pets), sections, isComplete: only === '' }
  }
  const isComplete = !isQuick && [only, contestants, against].every((word) => word === '')
  const selections = select(only, contestants)
  return {
    run: 'comparison',
    isQuick,
    selections: against === '' ? selections : selections.map(withOnly(against)),
    isComplete,
  }
}

/** Operations and contestants of each database by the beginnings of their names; the baseline always takes part. */
function select(only: string, contestants: string): Selection[] {
  const selections = DATABASES.map((database) => ({
    database,
    operations: OPERATIONS.filter(({ id }) => startsWithAny(`${database}-${id}`, only)),
    contestants: CONTESTANTS.filter((contestant) => contestant.database === database).filter(
      ({ id }, index) => index === 0 || startsWithAny(id, contestants),
    ),
  })).filter(({ operations }) => operations.length > 0)
  if (selections.length > 0) return selections
  const ids = OPERATIONS.map(({ id }) => id).join(', ')
  throw new RangeError(`No operation is called ${only}. Names are ${DATABASES.join(' or ')}, - and one of ${ids}.`)
}

/** Measures nobody but our service and that of another checkout, which shows what a change costs or gains. */
function withOnly(checkout: string): (selection: Selection) => Selection {
  const program = [resolve(checkout, 'apps/api/bin/pet-store.js'), 'serve']
  return (selection) => ({
    ...selection,
    contestants: CONTESTANTS.filter(
      ({ id, database }) => id === 'pet-store' && database === selection.database,
    ).flatMap((service) => [service, { ...service, id: 'other', name: `Pet Store in ${checkout}`, program }]),
  })
}

/** Whether a name begins with one of these words, which commas separate. Every name does when there is none. */
function startsWithAny(name: string, words: string): boolean {
  return words.split(',').some((word) => name.startsWith(word))
}

function readPets(text: string): number {
  const pets = Number(text)
  if (Number.isInteger(pets) && pets >= 1_000) return pets
  throw new RangeError(`--pets must be a number of at least 1000, got ${JSON.stringify(text)}.`)
}
