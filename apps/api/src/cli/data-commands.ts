import { PET_STATUSES } from '@pet-store/domain'
import { type Command, InvalidArgumentError, Option } from 'commander'
import { FORMATS } from '../data/formats.ts'
import { lazily } from './lazily.ts'

/** Adds the commands that move many pets at once. */
export function addDataCommands(program: Command): void {
  program
    .command('import')
    .description('store the pets of a file; can be interrupted, and goes on when it is run again')
    .argument('<file>', 'a .csv or .ndjson file, or - for standard input')
    .addOption(format('what the file is; its ending says so, else needed'))
    .option('--dry-run', 'only judge the pets; nothing is stored')
    .addOption(
      new Option('--on-error <what>', 'what a refused line does: end the import, or no more than that')
        .choices(['stop', 'skip'])
        .default('stop'),
    )
    .option('--report <file>', 'where refused lines are listed; standard error unless said otherwise')
    .option('--again', 'store the pets of a file once more that was imported to its end')
    .action(lazily(() => import('./import.ts'), 'importCommand'))

  program
    .command('export')
    .description('write pets by ascending id')
    .addOption(new Option('--status <status>', 'only pets with this status').choices(PET_STATUSES))
    .addOption(format('how to write; what --output ends in, else ndjson, unless said otherwise'))
    .option('--output <file>', 'where to write; standard output unless said otherwise')
    .option('--no-ids', 'leave ids out, so that two databases with the same pets give the same bytes')
    .action(lazily(() => import('./export.ts'), 'exportCommand'))

  program
    .command('seed')
    .description('store invented pets, for trying things out')
    .requiredOption('--count <number>', 'how many', integerUpTo(1e9))
    .option('--seed <number>', 'the same number gives the same pets', integerUpTo(2 ** 32 - 1))
    .action(lazily(() => import('./seed.ts'), 'seedCommand'))
}

function format(description: string): Option {
  return new Option('--format <format>', description).choices(FORMATS)
}

function integerUpTo(max: number): (text: string) => number {
  return (text) => {
    const integer = Number(text)
    if (/^[0-9]{1,10}$/.test(text) && integer <= max) return integer
    throw new InvalidArgumentError(`It must be an integer from 0 to ${max}.`)
  }
}
