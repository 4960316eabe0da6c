import { SCOPES } from '@pet-store/access'
import { OPENAPI_JSON } from '@pet-store/http-express'
import { Command, InvalidArgumentError, Option } from 'commander'
import { showConfig } from './commands/config.ts'
import { copy } from './commands/copy.ts'
import { createKey, listKeys, revokeKey, rotateKey } from './commands/keys.ts'
import { migrate } from './commands/migrate.ts'
import { serve } from './commands/serve.ts'
import { start } from './commands/start.ts'
import { WrongSettings } from './config.ts'
import { readDuration } from './duration.ts'

/** The command line. Exit codes: 0 done, 1 could not be done, 2 wrong settings or wrong use. */
const program = new Command('pet-store')
  .description('The pet store service: list, add and fetch animals over HTTP and JSON.')
  .exitOverride((error) => process.exit(error.exitCode === 0 ? 0 : 2))

program
  .command('start')
  .description('serve on this machine alone, with a development API key that is made and printed')
  .action(start)

program
  .command('serve')
  .description('serve with the API keys of the database, and those of API_KEYS_SHA256')
  .action(serve)

program
  .command('migrate')
  .description('bring the database up to date, and stop')
  .option('--check', 'only say what is to be done; exit code 1 when there is something')
  .action(migrate)

program
  .command('config')
  .description('show the settings that are in effect, secrets masked, and where each comes from')
  .option('--json', 'for scripts: one JSON value on standard output')
  .action(showConfig)

program
  .command('openapi')
  .description('print the OpenAPI 3.1 description of the service')
  .action(() => {
    process.stdout.write(OPENAPI_JSON)
  })

program
  .command('copy')
  .description('copy every animal and API key from one database to another, and compare both; can be interrupted')
  .option('--from <url>', 'where they are; DATABASE_URL unless said otherwise')
  .option('--to <url>', 'where they are to be, empty so far; DATABASE_URL unless said otherwise')
  .action(copy)

const keys = program.command('keys').description('make, list, rotate and revoke API keys, also while the service runs')
const json = () => new Option('--json', 'for scripts: one JSON value on standard output')

keys
  .command('create')
  .description('make a key; it alone goes to standard output, once')
  .requiredOption('--name <name>', 'who or what will use it')
  .addOption(new Option('--scope <scope...>', 'what it may do; everything unless said otherwise').choices(SCOPES))
  .option('--expires <span>', 'for how long it is good, such as 90d, 12h; for ever unless said otherwise', span)
  .addOption(json())
  .action(createKey)

keys
  .command('list')
  .description('show every key there ever was, without the keys themselves')
  .addOption(json())
  .action(listKeys)

keys
  .command('rotate')
  .description('make the successor of a key, which lives on for the overlap')
  .argument('<id>', 'the id of the key, as in the list')
  .option('--overlap <span>', 'for how long the old key is still good, such as 24h, 0s', span, readDuration('24h'))
  .addOption(json())
  .action(rotateKey)

keys
  .command('revoke')
  .description('make a key worthless for good')
  .argument('<id>', 'the id of the key, as in the list')
  .action(revokeKey)

/** A span of time on the command line. */
function span(text: string): number {
  try {
    return readDuration(text)
  } catch (error) {
    throw new InvalidArgumentError(error instanceof RangeError ? `It ${error.message}.` : String(error))
  }
}

try {
  await program.parseAsync()
} catch (error) {
  if (!(error instanceof Error)) throw error
  console.error(error.message)
  process.exit(error instanceof WrongSettings ? 2 : 1)
}
