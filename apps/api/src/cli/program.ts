import { AccessError, SCOPES } from '@pet-store/access'
import { isPetError } from '@pet-store/domain'
import { Command, CommanderError, Option } from 'commander'
import { misspeltVariables } from '../settings/misspelt-variables.ts'
import { parseDuration } from '../settings/parse.ts'
import { InvalidSettings } from '../settings/read-settings.ts'
import { SETTING_LIST } from '../settings/settings.ts'
import { VERSION } from '../settings/version.ts'
import { addTransferCommands, asOption } from './transfer-commands.ts'

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
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2
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
  if (command !== 'help' || names.length === 0) return args
  let parent = program
  for (const name of names) {
    const found = parent.commands.find((one) => one.name() === name)
    if (found === undefined) parent.error(`error: unknown command '${name}'`)
    else parent = found
  }
  return [...names, '--help']
}

/** The message of an error. If the database is unavailable, the reason is added. */
function sentenceOf(error: Error): string {
  const { message, cause } = error
  if (error instanceof AccessError && error.code === 'api_key_not_found')
    return `${message} pet-store keys list shows the id of each.`
  if (!isPetError(error) || !(cause instanceof Error)) return message
  return `${message.replace(/\.$/, '')}: ${cause.message}.`
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
  .description('The pet store service: list, add and fetch pets over HTTP and JSON.')
  .version(VERSION)
  .showHelpAfterError('Add --help to see what is possible.')
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
const by = new Option(
  '--by <name>',
  'who does it, for keys list and the log (default: the user of the operating system)',
)

// A common mistake is `--port 3001`.
const SETTINGS_HINT =
  'Settings are environment variables, as in PORT=3001 pet-store serve; pet-store serve --help ' +
  'lists them.'

program
  .command('start')
  .showHelpAfterError(SETTINGS_HINT)
  .description('serve this machine only, with a development API key that is created and printed')
  .option('--brief', 'print one line instead of the key and examples, for what restarts often')
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
  .action(async (options) => (await import('./doctor.ts')).doctor(options))

program
  .command('migrate')
  .description('migrate the database, and stop')
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

const keys = program
  .command('keys')
  .description('create, list, rotate and revoke API keys, even while the service runs')

keys
  .command('create')
  .description('create a key and print it; it is shown only this once')
  .requiredOption('--name <name>', 'who or what will use it')
  .addOption(
    new Option(
      '--scope <scope...>',
      'what it may do, separated by spaces (default: everything)',
    ).choices(SCOPES),
  )
  .addOption(by)
  .option(
    '--expires <duration>',
    'how long it is valid, such as 90d or 12h (default: never expires)',
    asOption(parseLifetime),
  )
  .addOption(json)
  .action(async (options) => (await import('./keys.ts')).createKey(options))

keys
  .command('list')
  .description('show every key ever created, without the keys themselves')
  .addOption(json)
  .action(async (options) => (await import('./keys.ts')).listKeys(options))

keys
  .command('rotate')
  .description('create the successor of a key, which stays valid for the overlap')
  .argument('<id>', 'the id of the key, as listed')
  .addOption(
    new Option('--overlap <duration>', 'how long the old key stays valid, such as 24h or 0s')
      .argParser(asOption(parseDuration))
      .default(parseDuration('24h'), '24h'),
  )
  .addOption(by)
  .addOption(json)
  .action(async (id, options) => (await import('./keys.ts')).rotateKey(id, options))

keys
  .command('revoke')
  .description('revoke a key; this cannot be undone')
  .argument('<id-or-key>', 'the id of the key, as listed, or a leaked key itself')
  .addOption(by)
  .addOption(json)
  .action(async (idOrKey, options) => (await import('./keys.ts')).revokeKey(idOrKey, options))

/** A duration, but none that is over at once. */
function parseLifetime(text: string): number {
  const lifetimeMs = parseDuration(text)
  if (lifetimeMs === 0) throw new Error('must be longer than 0')
  return lifetimeMs
}

function settingsHelp(): string {
  const lines = SETTING_LIST.map(({ variable, default: text, meaning }) => {
    const ending = text === undefined ? '' : ` (default: ${text})`
    return `  ${variable}${ending}\n      ${meaning.replaceAll('`', '')}`
  })
  return `\nSettings (environment variables, or lines of a file .env):\n${lines.join('\n')}`
}
