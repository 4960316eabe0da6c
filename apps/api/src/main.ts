import { constants } from 'node:os'
import { AccessError, SCOPES } from '@pet-store/access'
import { Argument, Command, InvalidArgumentError, Option } from 'commander'
import { addExamples, byOption, jsonOption, lazily } from './cli/command-parts.ts'
import type { Shell } from './cli/completion.ts'
import { addTransferCommands } from './cli/transfer-commands.ts'
import { processEnvironment } from './settings/environment.ts'
import { misspeltVariables } from './settings/misspelt-variables.ts'
import { parseDuration } from './settings/parse.ts'
import { InvalidSettings } from './settings/read-settings.ts'
import { SETTINGS } from './settings/settings.ts'
import { VERSION } from './settings/version.ts'

const EXAMPLES = `
Examples:
  pet-store start                                        first look, with a key that is printed
  pet-store keys create --name kiosk --scope pets:read   a read-only key
  pet-store serve                                        serve others; settings: pet-store serve --help
  pet-store doctor                                       find out why it does not start`

/** The command line. Exit codes: 0 success, 1 failure, 2 invalid settings or wrong usage. */
const program = new Command('pet-store')
  .description('The pet store service: list, add and fetch pets over HTTP and JSON.')
  .version(VERSION)
  .addHelpText('after', EXAMPLES)
  .hook('preAction', (_, command) => {
    // Its log goes to the file descriptor, whatever happens to that.
    if (command.name() !== 'serve') handleOutputErrors()
    // It lists them itself.
    if (command.name() !== 'doctor') warnOfMisspeltVariables()
  })
  .exitOverride((error) => process.exit(error.exitCode === 0 ? 0 : 2))

program
  .command('start')
  .description('serve this machine only, with a development API key that is created and printed')
  .action(lazily(() => import('./cli/start.ts'), 'start'))

program
  .command('serve')
  .description('serve with the API keys of the database and of API_KEYS_SHA256')
  .addHelpText('after', settingsHelp)
  .action(lazily(() => import('./cli/serve.ts'), 'serve'))

program
  .command('doctor')
  .description('check settings, disk, database, migrations, keys and clock; exit code 1 if something prevents a start')
  .addOption(jsonOption())
  .action(lazily(() => import('./cli/doctor.ts'), 'doctor'))

program
  .command('migrate')
  .description('migrate the database, and stop')
  .option(
    '--check',
    'only list pending migrations; exit code 1 if there are any, 3 if the database is missing or empty',
  )
  .addOption(jsonOption())
  .action(lazily(() => import('./cli/migrate.ts'), 'migrate'))

program
  .command('config')
  .description('show the settings in effect, secrets masked, and where each comes from')
  .addOption(jsonOption())
  .action(lazily(() => import('./cli/config.ts'), 'showConfig'))

program
  .command('openapi')
  .description('print the OpenAPI 3.1 description of the service')
  .action(async () => {
    const { openApiJson } = await import('@pet-store/http-express')
    process.stdout.write(await openApiJson())
  })

program
  .command('completion')
  .description('print a script that completes commands and options in a shell')
  .addArgument(new Argument('<shell>').choices(['bash', 'zsh', 'fish'] satisfies Shell[]))
  .action(async (shell: Shell) => {
    const { completionScript } = await import('./cli/completion.ts')
    process.stdout.write(completionScript(program, shell))
  })

addTransferCommands(program)

const keys = program
  .command('keys')
  .description('create, list, rotate and revoke API keys, even while the service runs')

keys
  .command('create')
  .description('create a key and print it; it is shown only this once')
  .requiredOption('--name <name>', 'who or what will use it')
  .addOption(new Option('--scope <scope...>', 'what it may do (default: everything)').choices(SCOPES))
  .addOption(byOption())
  .option('--expires <duration>', 'how long it is valid, such as 90d or 12h (default: never expires)', duration)
  .addOption(jsonOption())
  .action(lazily(() => import('./cli/keys.ts'), 'createKey'))

keys
  .command('list')
  .description('show every key ever created, without the keys themselves')
  .addOption(jsonOption())
  .action(lazily(() => import('./cli/keys.ts'), 'listKeys'))

keys
  .command('rotate')
  .description('create the successor of a key, which stays valid for the overlap')
  .argument('<id>', 'the id of the key, as listed')
  .addOption(
    new Option('--overlap <duration>', 'how long the old key stays valid, such as 24h or 0s')
      .argParser(duration)
      .default(parseDuration('24h'), '24h'),
  )
  .addOption(byOption())
  .addOption(jsonOption())
  .action(lazily(() => import('./cli/keys.ts'), 'rotateKey'))

keys
  .command('revoke')
  .description('revoke a key; this cannot be undone')
  .argument('<id-or-key>', 'the id of the key, as listed, or a leaked key itself')
  .addOption(byOption())
  .addOption(jsonOption())
  .action(lazily(() => import('./cli/keys.ts'), 'revokeKey'))

/** A misspelt variable would be ignored silently, and the default be used. */
function warnOfMisspeltVariables(): void {
  for (const { name, meant } of misspeltVariables(processEnvironment())) {
    console.error(`${name} is not a setting and is ignored. Did you mean ${meant}?`)
  }
}

function settingsHelp(): string {
  const lines = Object.values(SETTINGS).map(({ variable, default: text, meaning }) => {
    return `  ${variable}${text === '' ? '' : ` (default: ${text})`}\n      ${meaning.replaceAll('`', '')}`
  })
  return `\nSettings (environment variables, or lines of a file .env):\n${lines.join('\n')}`
}

function duration(text: string): number {
  try {
    return parseDuration(text)
  } catch (error) {
    throw new InvalidArgumentError(error instanceof RangeError ? `It ${error.message}.` : String(error))
  }
}

/**
 * Ends the program on SIGTERM and SIGINT if it is process 1, as in a container: the kernel applies the default action of
 * a signal to every other process, but not to that one. A server stops in order instead (`run-server.ts`).
 */
function endOnSignals(): void {
  if (process.pid !== 1) return
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, () => {
      if (process.listenerCount(signal) === 1) process.exit(128 + constants.signals[signal])
    })
  }
}

/**
 * A reader such as `head` closes the pipe when it has read enough: the command still does its work. What cannot be
 * written for another reason, such as a full disk, is an error. Without this either would end the program with a stack trace.
 */
function handleOutputErrors(): void {
  process.stdout.on('error', ({ code, message }: NodeJS.ErrnoException) => {
    if (code === 'EPIPE' || process.exitCode === 1) return
    process.exitCode = 1
    console.error(`Cannot write to standard output: ${message}`)
  })
  process.stderr.on('error', () => {})
}

addExamples(program)
endOnSignals()

try {
  await program.parseAsync()
} catch (error) {
  if (!(error instanceof Error)) throw error
  console.error(error.message)
  const isWrongUse =
    error instanceof InvalidSettings || (error instanceof AccessError && error.code === 'api_key_invalid')
  process.exit(isWrongUse ? 2 : 1)
}
