// The command line of pet-store-adapter.
import { parseArgs } from 'node:util'
import { checkCommand } from './check-command.ts'
import { runCases } from './processes/run-cases.ts'
import { RUN_CASES } from './processes/watched-process.ts'
import { REPORTERS } from './reporters.ts'

const USAGE = `Usage: pet-store-adapter check --module <name> --url <url> [--harness <file>]
       [--only <id>] [--skip <id>] [--random-calls <times>] [--seed <number>]
       [--time-limit <seconds>] [--all] [--json] [--reporter <name>]

  --module      the persistence module: a package, or a path that begins with . or /
  --url         an empty database; each case uses another one, whose URL is this one with a number
                after its path, or in place of {name}
  --harness     a module that makes what else the cases need, such as an interruption
  --only        runs the cases whose ids begin so, such as pet.find; may be given several times
  --skip        does not test these, and says so; may be given several times
  --random-calls
                make so many times as many sequences of random calls (default: 1)
  --seed        make other random calls; the same ones for the same number (default: 2026)
  --time-limit  the seconds after which most cases fail (default: 20); some get up to nine times as
                much, such as those of outages
  --all         print every guarantee instead of counts
  --json        print one JSON value
  --reporter    print what one of the reporters of Node's test runner does: ${REPORTERS.join(', ')}

Each guarantee has passed, was not tested (the line says why), or has failed.
Exit codes: 0 nothing has failed, 1 something has failed or was not checked, 2 wrong use.`

const OPTIONS = {
  module: { type: 'string' },
  url: { type: 'string' },
  harness: { type: 'string' },
  only: { type: 'string', multiple: true },
  skip: { type: 'string', multiple: true },
  'random-calls': { type: 'string' },
  seed: { type: 'string' },
  'time-limit': { type: 'string' },
  all: { type: 'boolean' },
  json: { type: 'boolean' },
  reporter: { type: 'string' },
  help: { type: 'boolean', short: 'h' },
} as const

if (process.argv[2] === RUN_CASES && process.send) await runCases()

/** A check with a thousand times as many takes hours. */
const MOST_TIMES = 1_000

function wholeNumber(text: string): number {
  return /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN
}

try {
  const { values, positionals } = parseArgs({ options: OPTIONS, allowPositionals: true })
  const {
    'time-limit': seconds,
    'random-calls': times = '1',
    seed = '2026',
    all = false,
    json = false,
    help,
    reporter: given,
    ...options
  } = values
  const timeLimitSeconds = Number(seconds ?? 20)
  const randomCalls = { times: wholeNumber(times), seed: wholeNumber(seed) }
  const reporter = REPORTERS.find((name) => name === given)
  if (help) console.log(USAGE)
  else if (positionals.join(' ') !== 'check') throw new Error(USAGE)
  else if (!(timeLimitSeconds > 0))
    throw new Error(`--time-limit must be a number of seconds, got "${seconds}".`)
  else if (!(randomCalls.times >= 1 && randomCalls.times <= MOST_TIMES))
    throw new Error(`--random-calls must be an integer from 1 to ${MOST_TIMES}, got "${times}".`)
  else if (Number.isNaN(randomCalls.seed))
    throw new Error(`--seed must be an integer of at most nine digits, got "${seed}".`)
  else if (given !== undefined && reporter === undefined)
    throw new Error(`--reporter must be one of ${REPORTERS.join(', ')}, got "${given}".`)
  else
    process.exitCode = await checkCommand(
      { ...options, timeLimitSeconds, randomCalls },
      { all, json, reporter },
    )
} catch (error) {
  console.error((error as Error).message)
  process.exitCode = 2
}
