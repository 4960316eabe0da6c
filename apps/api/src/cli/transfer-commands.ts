import { PET_STATUSES } from '@pet-store/domain'
import { type Command, Option } from 'commander'
import { parseInteger } from '../settings/parse.ts'
import { FORMATS } from '../transfer/pet-files/pet-file.ts'
import { asOption } from './as-option.ts'

/** Adds the commands that move many pets at once. */
export function addTransferCommands(program: Command, json: Option): void {
  program
    .command('import')
    .description(
      'store the pets of a file; after an interruption, run the same command to continue',
    )
    .argument('<file>', 'a .csv or .ndjson file, or - for standard input')
    .addOption(format('the format of the file (default: what its name ends in)'))
    .option('--dry-run', 'only validate the pets; nothing is stored')
    .addOption(
      new Option(
        '--on-error <action>',
        'stop: import nothing if a line is rejected; skip: import the other lines',
      )
        .choices(['stop', 'skip'])
        .default('stop'),
    )
    .option('--again', 'store every line, even of a file that was imported before')
    .addOption(json)
    .action(async (file, options, command) =>
      (await import('./import.ts')).importCommand(file, options, command),
    )

  program
    .command('export')
    .showHelpAfterError('Name the file with --output <file>; add --help to see how it is used.')
    .description('write pets by ascending id')
    .addOption(new Option('--status <status>', 'only pets with this status').choices(PET_STATUSES))
    .addOption(format('the format (default: what the name of --output ends in, else ndjson)'))
    .option(
      '--output <file>',
      'the file to write, or - for standard output (the default); a file is replaced when all ' +
        'pets are written',
    )
    .option(
      '--no-ids',
      'omit the ids, so that two databases with the same pets give the same bytes',
    )
    .action(async (options, command) =>
      (await import('./export.ts')).exportCommand(options, command),
    )

  program
    .command('seed')
    .description('store invented pets, for trying things out')
    .requiredOption('--count <number>', 'how many pets', integerUpTo(1e9))
    .option(
      '--seed <number>',
      'the same number gives the same pets (default: a random one)',
      integerUpTo(2 ** 32 - 1),
    )
    .addOption(json)
    .action(async (options) => (await import('./seed.ts')).seedCommand(options))

  program
    .command('copy')
    .description('copy everything from one database to another, and compare both; can be repeated')
    .requiredOption('--from <url>', 'the source')
    .requiredOption('--to <url>', 'the target: empty, or with what an interrupted copy left')
    .addOption(json)
    .action(async (options) => (await import('./copy.ts')).copyCommand(options))

  program
    .command('backup')
    .description('SQLite: write a checked copy of the database, even while the service runs')
    .argument('<file>', 'the copy; an existing backup is replaced when the copy is complete')
    .action(async (file) => (await import('./backup.ts')).backupCommand(file))

  program
    .command('restore')
    .description(
      'SQLite: replace the database with a backup; the old one is kept under another name',
    )
    .argument('<file>', 'the backup')
    .action(async (file) => (await import('./restore.ts')).restoreCommand(file))
}

function format(description: string): Option {
  return new Option('--format <format>', description).choices(FORMATS)
}

function integerUpTo(max: number): (text: string) => number {
  return asOption((text) => parseInteger(text, 0, max))
}
