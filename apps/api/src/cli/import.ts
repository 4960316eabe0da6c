import type { Command } from 'commander'
import type { Format } from '../data/formats.ts'
import { importFile } from '../data/import-file.ts'
import type { ImportResult } from '../data/import-pets.ts'
import { findPetFile, formatOf } from '../data/pet-file.ts'
import { createProgress } from '../data/progress.ts'
import { openRefusals } from '../data/refusals.ts'
import { withBulk } from '../data/with-bulk.ts'

export interface ImportCommandOptions {
  readonly format?: Format
  readonly dryRun?: boolean
  readonly onError: 'stop' | 'skip'
  readonly report?: string
  readonly again?: boolean
}

/** Stores the pets of a file, each as if it had come over HTTP; refused ones are told with their lines. */
export async function importCommand(name: string, options: ImportCommandOptions, command: Command): Promise<void> {
  const { onError, dryRun = false, again = false } = options
  const format = options.format ?? formatOf(name)
  if (format === undefined) command.error('error: say --format csv or --format ndjson, the name of the file does not')
  const file = await findPetFile(name)
  const refusals = await openRefusals(options.report, name)
  try {
    const { add: report } = refusals
    const work = { file, format, onError, report, again, progress: createProgress() }
    const result = dryRun
      ? await importFile(work)
      : await withBulk(
          ({ migrateOnStart }) => migrateOnStart,
          (bulk) => importFile(work, bulk),
        )
    tell(result, dryRun, file.bytes !== undefined)
  } finally {
    await refusals.close()
  }
}

function tell({ stored, storedEarlier, refused, fault }: ImportResult, isDry: boolean, goesOn: boolean): void {
  const earlier = storedEarlier === 0 ? '' : `, after ${storedEarlier} of an earlier run`
  const good = isDry ? `${amount(stored, 'pet')} could be imported` : `Imported ${amount(stored, 'pet')}${earlier}`
  console.log(refused === 0 ? `${good}.` : `${good}; ${amount(refused, 'line')} refused.`)
  if (fault !== undefined) console.error(isDry || !goesOn ? fault : `${fault} ${GOING_ON}`)
  if (fault !== undefined || refused > 0) process.exitCode = 1
}

const GOING_ON =
  'When that is mended in the file, the same command goes on there; what stands before it must stay as it is.'

function amount(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`
}
