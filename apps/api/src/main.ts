import { Command } from 'commander'
import { migrate } from './commands/migrate.ts'
import { serve } from './commands/serve.ts'
import { start } from './commands/start.ts'
import { WrongSettings } from './config.ts'

/** The command line. Exit codes: 0 done, 1 could not be done, 2 wrong settings or wrong use. */
const program = new Command('pet-store')
  .description('The pet store service: list, add and fetch animals over HTTP and JSON.')
  .exitOverride((error) => process.exit(error.exitCode === 0 ? 0 : 2))

program
  .command('start')
  .description('serve on this machine alone, with a development API key that is made and printed')
  .action(start)

program.command('serve').description('serve with the API keys of API_KEYS_SHA256').action(serve)

program
  .command('migrate')
  .description('bring the database up to date, and stop')
  .option('--check', 'only say what is to be done; exit code 1 when there is something')
  .action(migrate)

try {
  await program.parseAsync()
} catch (error) {
  if (!(error instanceof Error)) throw error
  console.error(error.message)
  process.exit(error instanceof WrongSettings ? 2 : 1)
}
