import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import type { Selection } from './comparison/comparison.ts'
import { OPERATIONS } from './requests/operations.ts'
import { CONTESTANTS, DATABASES, SERVICE } from './servers/contestants.ts'

export const HELP = `pnpm bench                       compares all contestants on both databases; twelve minutes
pnpm bench --quick               the same with fewer rounds; three minutes
pnpm bench --only sqlite-get     only operations whose names begin like this; several with commas
pnpm bench --contestants pet     only contestants whose names begin like this, and the bare server
pnpm bench --against FOLDER      compares the service with that of another checkout, built there
pnpm bench --scale               growth, bulk work and several processes, with up to 1 million pets
pnpm bench --scale --pets 50000  the same with up to 50,000 pets
pnpm bench --scale --only bulk   only one of growth, bulk and processes

Complete runs write to docs/benchmarks, the others to data/benchmarks.`

const SECTIONS = ['growth', 'bulk', 'processes'] as const

/** What to run. Only a complete run is written to the documents. */
export type Choice =
  | { readonly run: 'help' }
  | { readonly run: 'scale'; readonly pets: number; readonly sections: readonly string[]; readonly isComplete: boolean }
  | {
      readonly run: 'comparison'
      readonly isQuick: boolean
      readonly selections: readonly Selection[]
      readonly isComplete: boolean
    }

/** Reads the arguments of the program. Throws a sentence when they are invalid. */
export function choose(args: readonly string[]): Choice {
  const { values } = parseArgs({
    args: [...args],
    options: {
      quick: { type: 'boolean', default: false },
      only: { type: 'string', default: '' },
      contestants: { type: 'string', default: '' },
      against: { type: 'string', default: '' },
      scale: { type: 'boolean', default: false },
      pets: { type: 'string', default: '1000000' },
      help: { type: 'boolean', default: false },
    },
  })
  const { quick: isQuick, only, contestants, against, pets } = values
  if (values.help) return { run: 'help' }
  if (values.scale) {
    const sections = SECTIONS.filter((section) => startsWithAny(section, only))
    if (sections.length === 0) throw new RangeError(`--only must name some of ${SECTIONS.join(', ')}.`)
    if (!/^[1-9][0-9]*000$/.test(pets)) throw new RangeError(`--pets must be thousands, got ${JSON.stringify(pets)}.`)
    return { run: 'scale', pets: Number(pets), sections, isComplete: only === '' }
  }
  const selections = DATABASES.map((database): Selection => {
    const all = CONTESTANTS[database]
    return {
      database,
      operations: OPERATIONS.filter(({ id }) => startsWithAny(`${database}-${id}`, only)),
      // The baseline always takes part.
      contestants:
        against === '' ? all.filter(({ id }, at) => at === 0 || startsWithAny(id, contestants)) : both(against),
    }
  }).filter(({ operations }) => operations.length > 0)
  if (selections.length === 0) {
    const ids = OPERATIONS.map(({ id }) => id).join(', ')
    throw new RangeError(`No operation is called ${only}. Names are ${DATABASES.join(' or ')}, - and one of ${ids}.`)
  }
  return { run: 'comparison', isQuick, selections, isComplete: !isQuick && `${only}${contestants}${against}` === '' }
}

/** Nobody but our service and that of another checkout, which shows what a change costs or gains. */
function both(checkout: string) {
  const program = [resolve(checkout, 'apps/api/bin/pet-store.js'), 'serve']
  return [SERVICE, { ...SERVICE, id: 'other', name: `Pet Store in ${checkout}`, program }]
}

/** Whether a name begins with one of these words, which commas separate. Every name does when there is none. */
function startsWithAny(name: string, words: string): boolean {
  return words.split(',').some((word) => name.startsWith(word))
}
