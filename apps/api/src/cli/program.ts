import { AccessError } from '@pet-store/access'
import { isPetError } from '@pet-store/domain'
import { Command, CommanderError, Option } from 'commander'
import { misspeltVariables } from '../settings/misspelt-variables.ts'
import { InvalidSettings } from '../settings/read-settings.ts'
import { SETTING_LIST } from '../settings/settings.ts'
import { VERSION } from '../settings/version.ts'
import { addKeyCommands } from './keys/key-commands.ts'
import { addTransferCommands } from './transfer-commands.ts'

/**
 * Runs a command until it has ended, or serves. Returns the exit code if it failed: 1, or 2 for
 * invalid settings or wrong usage.
 */
export async function runCommand(args: readonly string[]): Promise<number | undefined> {
  try {
    await program.parseAsync(helpAsOption(args), { from: 'user' })
    return undefined
  } catch (error) {
    // commander has already printed the error, or the help that was requested.
    if (error instanceof CommanderError) return error.exitCode === 0 ? undefined : 2
    if (!(error instanceof Error)) throw error
    console.error(sentenceOf(error))
    const isWrongUse =
      error instanceof InvalidSettings ||
      (error instanceof AccessError && error.code === 'api_key_invalid')
    return isWrongUse ? 2 : 1
  }
}

/** Turns `help keys create` into `keys create --help`: commander's `help` reads one name only. */
function helpAsOption(args: readonly string[]): readonly string[] {
  const [command, ...names] = args
  if (command !== 'help') return args
  if (names.every((name) => name === 'help' || name.startsWith('-'))) return ['--help']
  let parent = program
  for (const name of names) {
    const found = parent.commands.find((one) => one.name() === name)
    if (found === undefined) parent.error(`error: unknown command '${name}'`)
    else parent = found
  }
  return [...names, '--help']
}

/**
 * The message of an error. If the database is unavailable, the reason is added; if Node's
 * `--permission` denies something, what it denies.
 */
function sentenceOf(error: Error): string {
  const { message, cause } = error
  const denied = deniedResource(error)
  if (denied !== undefined) return `${message.replace(/\.+$/, '')} for ${denied}.`
  if (error instanceof AccessError && error.code === 'api_key_not_found')
    return `${message} pet-store keys list shows the id of each.`
  if (!isPetError(error) || !(cause instanceof Error)) return message
  return `${message.replace(/\.$/, '')}: ${cause.message}.`
}

function deniedResource(error: Error): string | undefined {
  const { code, resource } = error as NodeJS.ErrnoException & { readonly resource?: string }
  if (code === 'ERR_ACCESS_DENIED' && resource) return JSON.stringify(resource)
  return error.cause instanceof Error ? deniedResource(error.cause) : undefined
}

const EXAMPLES = `
Examples:
  pet-store start
  pet-store serve --help   (every setting)
  pet-store import pets.csv
  pet-store import - --format ndjson < pets.ndjson
  pet-store export --status sold --output sold.csv
  pet-store keys create --name kiosk --scope pets:read --expires 90d`

// Each command is loaded when it runs, so that a command does not load what only others need.
const program = new Command('pet-store')
  .description('The pet store service: list, create and get pets over HTTP and JSON.')
  .version(VERSION)
  .showHelpAfterError('Add --help to see how it is used.')
  .exitOverride()
  // Without this warning a misspelt variable would be ignored silently. doctor lists them itself.
  .hook('preAction', (_program, command) => {
    if (command.name() === 'doctor') return
    for (const { name, meant } of misspeltVariables()) {
      console.error(`${name} is not a setting and is ignored. Did you mean ${meant}?`)
    }
  })
  .addHelpText('after', EXAMPLES)

const json = new Option('--json', 'print one JSON value, for scripts')

// A common mistake is `--port 3001`.
const SETTINGS_HINT =
  'Settings are environment variables, as in PORT=3001 pet-store serve; pet-store serve --help ' +
  'lists them.'

program
  .command('start')
  .showHelpAfterError(SETTINGS_HINT)
  .description('serve this machine only, with a development API key that is created and printed')
  .option('--brief', 'print one line instead of the key and examples, for frequent restarts')
  .action(async (options) => (await import('./start.ts')).start(options))

program
  .command('serve')
  .showHelpAfterError(SETTINGS_HINT)
  .description('serve with the API keys of the database and of API_KEYS_SHA256')
  .addHelpText('after', settingsHelp)
  .action(async () => (await import('./serve.ts')).serve())

program
  .command('doctor')
  .description(
    'check settings, disk, database, migrations, keys and clock; exit code 1 if something ' +
      'prevents a start',
  )
  .addOption(json)
  .action(async (options) => (await import('./doctor/doctor.ts')).doctor(options))

program
  .command('migrate')
  .description('migrate the database')
  .option(
    '--check',
    'only list pending migrations; exit code 1 if there are any, 3 if the database is missing ' +
      'or empty',
  )
  .addOption(json)
  .action(async (options) => (await import('./migrate.ts')).migrate(options))

program
  .command('config')
  .description('show the settings in effect, secrets masked, and where each comes from')
  .addOption(json)
  .action(async (options) => (await import('./config.ts')).showConfig(options))

program
  .command('openapi')
  .description('print the OpenAPI 3.1 description of the service')
  .action(async () => {
    const { openApiJson } = await import('@pet-store/http-express')
    process.stdout.write(await openApiJson())
  })

addTransferCommands(program, json)
addKeyCommands(program, json)

const SETTING_INDENT = ' '.repeat(6)

function settingsHelp(): string {
  const help = program.createHelp()
  const width = (process.stdout.columns || 80) - SETTING_INDENT.length
  const lines = SETTING_LIST.map(({ variable, default: text, meaning }) => {
    const ending = text === undefined ? '' : ` (default: ${text})`
    const wrapped = help.boxWrap(meaning.replaceAll('`', ''), width)
    return `  ${variable}${ending}\n${wrapped.replaceAll(/^/gm, SETTING_INDENT)}`
  })
  return `\nSettings (environment variables, or lines of a file .env):\n${lines.join('\n')}`
}
