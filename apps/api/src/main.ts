import { SCOPES } from '@pet-store/access'
import { Command, InvalidArgumentError, Option } from 'commander'
import { addDataCommands } from './cli/data-commands.ts'
import { lazily } from './cli/lazily.ts'
import { endOnSignals } from './cli/signals.ts'
import { readDuration } from './settings/duration.ts'
import { WrongSettings } from './settings/read-settings.ts'

/** The command line. Exit codes: 0 done, 1 could not be done, 2 wrong settings or wrong use. */
const program = new Command('pet-store')
  .description('The pet store service: list, add and fetch pets over HTTP and JSON.')
  .exitOverride((error) => process.exit(error.exitCode === 0 ? 0 : 2))

program
  .command('start')
  .description('serve on this machine alone, with a development API key that is made and printed')
  .action(lazily(() => import('./cli/start.ts'), 'start'))

program
  .command('serve')
  .description('serve with the API keys of the database, and those of API_KEYS_SHA256')
  .action(lazily(() => import('./cli/serve.ts'), 'serve'))

program
  .command('migrate')
  .description('bring the database up to date, and stop')
  .option('--check', 'only say what is to be done; exit code 1 when there is something')
  .action(lazily(() => import('./cli/migrate.ts'), 'migrate'))

program
  .command('config')
  .description('show the settings that are in effect, secrets masked, and where each comes from')
  .option('--json', 'for scripts: one JSON value on standard output')
  .action(lazily(() => import('./cli/config.ts'), 'showConfig'))

program
  .command('openapi')
  .description('print the OpenAPI 3.1 description of the service')
  .action(async () => {
    const { OPENAPI_JSON } = await import('@pet-store/http-express')
    process.stdout.write(OPENAPI_JSON)
  })

program
  .command('copy')
  .description('copy every pet and API key from one database to another, and compare both; can be interrupted')
  .option('--from <url>', 'where they are; DATABASE_URL unless said otherwise')
  .option('--to <url>', 'where they are to be, empty so far; DATABASE_URL unless said otherwise')
  .action(lazily(() => import('./cli/copy.ts'), 'copy'))

addDataCommands(program)

const keys = program.command('keys').description('make, list, rotate and revoke API keys, also while the service runs')
const json = () => new Option('--json', 'for scripts: one JSON value on standard output')

keys
  .command('create')
  .description('make a key; it alone goes to standard output, once')
  .requiredOption('--name <name>', 'who or what will use it')
  .addOption(new Option('--scope <scope...>', 'what it may do; everything unless said otherwise').choices(SCOPES))
  .option('--expires <span>', 'for how long it is good, such as 90d, 12h; for ever unless said otherwise', span)
  .addOption(json())
  .action(lazily(() => import('./cli/keys.ts'), 'createKey'))

keys
  .command('list')
  .description('show every key there ever was, without the keys themselves')
  .addOption(json())
  .action(lazily(() => import('./cli/keys.ts'), 'listKeys'))

keys
  .command('rotate')
  .description('make the successor of a key, which lives on for the overlap')
  .argument('<id>', 'the id of the key, as in the list')
  .option('--overlap <span>', 'for how long the old key is still good, such as 24h, 0s', span, readDuration('24h'))
  .addOption(json())
  .action(lazily(() => import('./cli/keys.ts'), 'rotateKey'))

keys
  .command('revoke')
  .description('make a key worthless for good')
  .argument('<id>', 'the id of the key, as in the list')
  .action(lazily(() => import('./cli/keys.ts'), 'revokeKey'))

/** A span of time on the command line. */
function span(text: string): number {
  try {
    return readDuration(text)
  } catch (error) {
    throw new InvalidArgumentError(error instanceof RangeError ? `It ${error.message}.` : String(error))
  }
}

endOnSignals()

try {
  await program.parseAsync()
} catch (error) {
  if (!(error instanceof Error)) throw error
  console.error(error.message)
  process.exit(error instanceof WrongSettings ? 2 : 1)
}
