// `pnpm pact:verify [--pact <file, folder or URL>]… [--database <PostgreSQL URL>]`: verifies contracts against the complete
// program, with a new database for each interaction: an SQLite file, or one on that PostgreSQL server.
// Exit codes: 0 they hold, 1 they do not, 2 invalid arguments.
import { resolve } from 'node:path'
import { parseArgs, stripVTControlCharacters } from 'node:util'
import { createDatabase } from '@pet-store/testing-postgres'
import { createTemporarySqlite, openProgramOver } from '../providers/open-program.ts'
import { brokerOf, contractsAt, contractsIn, gitVersion } from '../sources/pact-broker.ts'
import { PACTS, readPactFiles } from '../sources/pact-files.ts'
import { type PactSource, verifyPacts } from '../verification/verify-pacts.ts'

const OPTIONS = { pact: { type: 'string', multiple: true }, database: { type: 'string' } } as const

try {
  const { pact, database } = parseArgs({ options: OPTIONS }).values
  if (database !== undefined && !/^postgres(ql)?:\/\//.test(database)) {
    throw new RangeError('--database must be the URL of a PostgreSQL server, postgres://user:password@host/database.')
  }
  const openDatabase = database === undefined ? createTemporarySqlite : () => createDatabase(database)
  const { holds, problems, report } = await verifyPacts(selectSource(pact), openProgramOver(openDatabase))
  console.log(process.stdout.isTTY ? report : stripVTControlCharacters(report))
  if (holds) console.log('The contracts hold.')
  else console.log(problems.length > 0 ? 'The contracts could not be verified.' : 'The contracts do not hold.')
  process.exitCode = holds ? 0 : 1
} catch (error) {
  if (!(error instanceof RangeError || error instanceof TypeError)) throw error
  console.error(error.message)
  process.exitCode = 2
}

/** The contracts of the options; else `PACT_URL`, as a broker's webhook sets it; else the broker's; else the committed ones. */
function selectSource(options: readonly string[] | undefined): PactSource {
  const broker = brokerOf()
  const url = process.env['PACT_URL']
  const given = options ?? (url ? [url] : undefined)
  if (given === undefined && broker !== undefined) {
    const version = gitVersion()
    console.log(`Contracts of ${broker.url}; results are reported for ${version.commit} on ${version.branch}.`)
    return contractsIn(broker, version)
  }
  const urls = given?.filter((one) => /^https?:/.test(one)) ?? []
  // pnpm starts scripts in the root; relative paths are those of the caller.
  const from = process.env['INIT_CWD'] ?? process.cwd()
  const paths = given?.filter((one) => !urls.includes(one)).map((path) => resolve(from, path)) ?? [PACTS]
  const files = readPactFiles(paths)
  for (const one of urls) console.log(one)
  for (const { path, consumer, interactions } of files)
    console.log(`${consumer}: ${interactions} interactions, ${path}`)
  // Only a contract of the broker can have results there.
  const origin = broker && new URL(broker.url).origin
  const isOfBroker = files.length === 0 && urls.every((one) => new URL(one).origin === origin)
  if (!isOfBroker)
    console.log('No results are reported: PACT_BROKER_BASE_URL is not set, or the contracts are not its.')
  // Nobody else may see its token.
  const own = isOfBroker ? broker : undefined
  return contractsAt([...files.map(({ path }) => path), ...urls], own, own && gitVersion())
}
