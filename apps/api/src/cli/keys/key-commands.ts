import { SCOPES } from '@pet-store/access'
import { type Command, Option } from 'commander'
import { parseDuration } from '../../settings/parse.ts'
import { asOption } from '../as-option.ts'

/** Adds the commands for API keys. */
export function addKeyCommands(program: Command, json: Option): void {
  const by = new Option(
    '--by <name>',
    'who makes the change, as keys list and the log show it (default: the operating system user)',
  )

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
}

/** A duration, but none that is over at once. */
function parseLifetime(text: string): number {
  const lifetimeMs = parseDuration(text)
  if (lifetimeMs === 0) throw new Error('must be longer than 0')
  return lifetimeMs
}
