import type { Command } from 'commander'
import { amount } from '../messages/amount.ts'
import { printLine } from '../messages/progress.ts'
import { withBulkAccess } from '../persistence/open-persistence.ts'
import { readSettings } from '../settings/read-settings.ts'
import { type ImportCounts, importPets } from '../transfer/import-pets.ts'
import type { RejectedEntry } from '../transfer/pet-files/entry.ts'
import { type Format, findPetFile, formatOf } from '../transfer/pet-files/pet-file.ts'
import { type ImportSource, type Reading, readPets } from '../transfer/pet-files/read-pets.ts'
import { interruptible } from './interruptible.ts'

interface ImportOptions {
  readonly format?: Format
  readonly dryRun?: boolean
  readonly onError: 'stop' | 'skip'
  readonly again?: boolean
  readonly json?: boolean
}

/**
 * Stores the pets of a file by the rules for requests, and reports rejected lines by their numbers.
 * The file is checked first: if an invalid line ends the import, nothing is stored. Standard input
 * can be read only once, so its pets are stored while it is read.
 */
export async function importCommand(
  name: string,
  options: ImportOptions,
  command: Command,
): Promise<void> {
  const { onError, dryRun = false, again = false } = options
  const format = options.format ?? formatOf(name)
  if (format === undefined) command.error(`error: ${missingFormat(name)}`)
  const file = await findPetFile(name)
  const settings = readSettings()
  const counts = { stored: 0, storedEarlier: 0 }
  const report = ({ line, reason }: RejectedEntry) => printLine(`line ${line}: ${reason}`)
  const source = { file, format, onError, report }
  const checked = dryRun || file.bytes !== undefined ? await check(source) : undefined
  if (checked !== undefined && dryRun) return printCheck(checked, options)
  if (checked?.stopReason !== undefined) return printResult(counts, checked, options)
  const next = checked === undefined ? '' : '; run the same command on the same file to continue'
  await withBulkAccess(settings, {}, async (target) => {
    const stopped = () => `Stopped. ${amount(counts.stored, 'pet')} stored${next}.`
    const reading = await interruptible(stopped, () =>
      importPets(source, target, { checked, again, counts }).catch((error: Error) => {
        // After an error such as a full disk, pets of earlier transactions stay stored.
        if (counts.stored > 0) console.error(stopped())
        throw error
      }),
    )
    printResult(counts, reading, options)
  })
}

/** Reads the file without storing anything. */
async function check(source: ImportSource): Promise<Reading> {
  let line = 0
  const stopped = () => `Stopped while checking, after line ${line}. Nothing was stored.`
  return interruptible(stopped, () =>
    readPets(source, 'Checking', (entry) => {
      line = entry.line
    }),
  )
}

const SPREADSHEET = /\.(?:xls[xmb]?|ods|numbers)$/i
const COMPRESSED = /\.(?:gz|bz2|xz|zst|zip|7z)$/i

function missingFormat(name: string): string {
  if (SPREADSHEET.test(name)) {
    return `${JSON.stringify(name)} is a spreadsheet; save it as "CSV UTF-8" and import that file`
  }
  if (COMPRESSED.test(name))
    return `${JSON.stringify(name)} is compressed; decompress it and import what it contains`
  if (/\.json$/i.test(name)) {
    return (
      `${JSON.stringify(name)} may be an array; write one pet per line ` +
      "(jq -c '.[]' pets.json > pets.ndjson), or add --format ndjson if it has one per line already"
    )
  }
  const what =
    name === '-' ? 'standard input has no name that ends' : 'the name of the file does not end'
  return `${what} in .csv or .ndjson; add --format csv or --format ndjson`
}

/** The result of `--dry-run`. */
function printCheck({ pets, rejected, stopReason }: Reading, { json = false }: ImportOptions) {
  const isComplete = stopReason === undefined
  if (json) console.log(JSON.stringify({ dryRun: true, valid: pets, rejected, isComplete }))
  else console.log(sentence(`${amount(pets, 'pet')} can be imported`, rejected))
  if (!isComplete) console.error(`${stopReason} Nothing was stored.`)
  if (!isComplete || rejected > 0) process.exitCode = 1
}

function printResult(
  { stored, storedEarlier }: ImportCounts,
  { rejected, stopReason }: Reading,
  { json = false }: ImportOptions,
): void {
  const isComplete = stopReason === undefined
  if (json) {
    const result = { dryRun: false, stored, storedEarlier, rejected, isComplete }
    console.log(JSON.stringify(result))
  } else {
    const earlier =
      storedEarlier === 0 ? '' : `, after ${amount(storedEarlier, 'pet')} of an earlier run`
    console.log(sentence(`Imported ${amount(stored, 'pet')}${earlier}`, rejected))
  }
  if (!isComplete) console.error(stored === 0 ? `${stopReason} Nothing was stored.` : stopReason)
  if (!isComplete || rejected > 0) process.exitCode = 1
}

function sentence(done: string, rejected: number): string {
  return rejected === 0 ? `${done}.` : `${done}; ${amount(rejected, 'line')} rejected.`
}
