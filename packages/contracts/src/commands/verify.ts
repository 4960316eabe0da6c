// `pnpm pact:verify [--pact <file, folder or URL>]…`: verifies contracts against the complete
// program, with a new SQLite file for each interaction. Exit codes: 0 they hold, 1 they do not, 2
// invalid arguments.
import { resolve } from 'node:path'
import { parseArgs, stripVTControlCharacters } from 'node:util'
import { openProgramOverSqlite } from '../providers/open-program.ts'
import { brokerOfEnvironment, reportingTo, SELECTED_CONTRACTS } from '../sources/pact-broker.ts'
import { PACTS, readPactFiles } from '../sources/pact-files.ts'
import { type PactSource, verifyPacts } from '../verification/verify-pacts.ts'

const OPTIONS = { pact: { type: 'string', multiple: true } } as const

try {
  const { pact } = parseArgs({ options: OPTIONS }).values
  const { holds, problems, report } = await verifyPacts(selectSource(pact), openProgramOverSqlite)
  console.log(process.stdout.isTTY ? report : stripVTControlCharacters(report))
  if (holds) console.log('The contracts hold.')
  else
    console.log(
      problems.length > 0 ? 'The contracts could not be verified.' : 'The contracts do not hold.',
    )
  process.exitCode = holds ? 0 : 1
} catch (error) {
  if (!(error instanceof RangeError || error instanceof TypeError)) throw error
  console.error(error.message)
  process.exitCode = 2
}

/**
 * The contracts of the options; else `PACT_URL`, as a broker's webhook sets it; else the broker's;
 * else the committed ones.
 */
function selectSource(options: readonly string[] | undefined): PactSource {
  const broker = brokerOfEnvironment()
  const url = process.env['PACT_URL']
  const given = options ?? (url ? [url] : undefined)
  if (given === undefined && broker !== undefined) {
    console.log(`Contracts of ${broker.url}`)
    return { pactBrokerUrl: broker.url, ...SELECTED_CONTRACTS, ...reportingTo(broker) }
  }
  const urls = given?.filter((one) => /^https?:/.test(one)) ?? []
  // pnpm starts scripts in the root; relative paths are those of the caller.
  const from = process.env['INIT_CWD'] ?? process.cwd()
  const files = readPactFiles(
    given?.filter((one) => !urls.includes(one)).map((path) => resolve(from, path)) ?? [PACTS],
  )
  for (const { path, consumer, interactions } of files)
    console.log(`${consumer}: ${interactions} interactions, ${path}`)
  for (const one of urls) console.log(one)
  const pactUrls = [...files.map(({ path }) => path), ...urls]
  // Only a contract of the broker can have results there, and nobody else may see its token.
  const origin = broker && new URL(broker.url).origin
  const isOfBroker = files.length === 0 && urls.every((one) => new URL(one).origin === origin)
  if (broker !== undefined && isOfBroker) return { pactUrls, ...reportingTo(broker) }
  console.log(
    'No results are reported: PACT_BROKER_BASE_URL is not set, or the contracts are not its.',
  )
  return { pactUrls }
}
