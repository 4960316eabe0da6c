import { parseArgs } from 'node:util'

export const HELP = `pnpm bench                      compares everybody on both databases; ten minutes at most
pnpm bench --quick              the same for a first look; two minutes
pnpm bench --only sqlite-get    only operations whose names begin so; several with commas
pnpm bench --contestants pet    only contestants whose names begin so, and the one they are compared with
pnpm bench --growth             the service with 1 thousand to 1 million pets; with --full to 10 million
pnpm bench --bulk               import, export and copy of 1 million pets, beside the databases' own ways
pnpm bench --bulk --pets 50000  the same with so many pets
pnpm bench --processes          several processes on one PostgreSQL; with --quick for a first look
pnpm bench --profile            where the service spends its time

Reports of whole runs go to docs/benchmarks, those of shortened ones to data/benchmarks.`

/** What is to be run. Only a whole run is kept where others read. */
export type Choice =
  | { readonly run: 'help' }
  | { readonly run: 'profile' }
  | { readonly run: 'growth'; readonly isFull: boolean }
  | { readonly run: 'bulk'; readonly pets: number; readonly isWhole: boolean }
  | { readonly run: 'processes'; readonly isWhole: boolean }
  | ComparisonChoice

export interface ComparisonChoice {
  readonly run: 'comparison'
  readonly isQuick: boolean
  readonly only: readonly string[]
  readonly contestants: readonly string[]
  readonly isWhole: boolean
}

const OPTIONS = {
  quick: { type: 'boolean', default: false },
  only: { type: 'string', default: '' },
  contestants: { type: 'string', default: '' },
  growth: { type: 'boolean', default: false },
  full: { type: 'boolean', default: false },
  bulk: { type: 'boolean', default: false },
  pets: { type: 'string', default: '' },
  processes: { type: 'boolean', default: false },
  profile: { type: 'boolean', default: false },
  help: { type: 'boolean', default: false },
} as const

const RUNS = ['help', 'growth', 'bulk', 'processes', 'profile'] as const
const MOST_PETS = 1_000_000

/** Chooses by the arguments of the program. Throws a sentence where they do not fit together. */
export function choose(args: readonly string[]): Choice {
  const { values } = parseArgs({ args: [...args], options: OPTIONS })
  const [run = 'comparison', ...others] = RUNS.filter((name) => values[name])
  if (others.length > 0) throw new RangeError(`Say one of ${[run, ...others].map((name) => `--${name}`).join(', ')}.`)
  if (values.pets !== '' && run !== 'bulk') throw new RangeError('--pets belongs to --bulk.')
  switch (run) {
    case 'bulk': {
      const pets = values.pets === '' ? MOST_PETS : readPets(values.pets)
      return { run, pets, isWhole: pets === MOST_PETS }
    }
    case 'processes':
      return { run, isWhole: !values.quick }
    case 'comparison': {
      const { quick: isQuick, only, contestants } = values
      const isWhole = !isQuick && only === '' && contestants === ''
      return { run, isQuick, only: words(only), contestants: words(contestants), isWhole }
    }
    case 'growth':
      return { run, isFull: values.full }
    default:
      return { run }
  }
}

function readPets(text: string): number {
  const pets = Number(text)
  if (Number.isInteger(pets) && pets > 0) return pets
  throw new RangeError(`--pets must be a number of pets, such as 100000, got ${JSON.stringify(text)}.`)
}

function words(list: string): string[] {
  return list.split(',').filter((word) => word !== '')
}
