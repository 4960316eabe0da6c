// `pnpm pact:verify [--pact <file or folder>]…`: plays contracts to the whole program over a new SQLite file.
// Exit codes: 0 they hold, 1 they do not, 2 wrong use.
import { resolve } from 'node:path'
import { parseArgs, stripVTControlCharacters } from 'node:util'
import { gitVersion } from '../git-version.ts'
import { openProgramOver } from '../open-program.ts'
import { brokerOf, contractsOf } from '../pact-broker.ts'
import { PACTS, readPactFiles } from '../pact-files.ts'
import { createTemporarySqlite } from '../temporary-sqlite.ts'
import { type PactSource, verifyPacts } from '../verify-pacts.ts'

try {
  const { holds, report } = await verifyPacts(chooseSource(), openProgramOver(createTemporarySqlite))
  console.log(process.stdout.isTTY ? report : stripVTControlCharacters(report))
  console.log(holds ? 'The contracts hold.' : 'The contracts do not hold.')
  process.exitCode = holds ? 0 : 1
} catch (error) {
  if (!(error instanceof RangeError || error instanceof TypeError)) throw error
  console.error(error.message)
  process.exitCode = 2
}

function chooseSource(): PactSource {
  const { pact: paths } = parseArgs({ options: { pact: { type: 'string', multiple: true } } }).values
  const broker = brokerOf()
  if (paths === undefined && broker !== undefined) {
    const version = gitVersion()
    console.log(`Contracts of ${broker.url}; results are reported for ${version.commit} on ${version.branch}.`)
    return contractsOf(broker, version)
  }
  // pnpm starts scripts in the root; the paths are those of whoever typed them.
  const from = process.env['INIT_CWD'] ?? process.cwd()
  const files = readPactFiles(paths?.map((path) => resolve(from, path)) ?? [PACTS])
  if (broker === undefined)
    console.log('PACT_BROKER_BASE_URL is not set: contracts of files, and no results are reported.')
  for (const { path, consumer, interactions } of files)
    console.log(`${consumer}: ${interactions} interactions, ${path}`)
  return { pactUrls: files.map(({ path }) => path) }
}
