import type { Command } from 'commander'
import { readSettings } from '../settings/read-settings.ts'
import { type ImportResult, type ImportTarget, importPets } from '../transfer/import-pets.ts'
import { hasBulkAccess, withTransfer } from '../transfer/open-transfer.ts'
import { type Format, findPetFile, formatOf } from '../transfer/pet-file.ts'
import { amount, createProgress, interruptible } from '../transfer/progress.ts'
import { openRejectedLines } from '../transfer/rejected-lines.ts'

export interface ImportOptions {
  readonly format?: Format
  readonly dryRun?: boolean
  readonly onError: 'stop' | 'skip'
  readonly report?: string
  readonly again?: boolean
  readonly continue?: boolean
  readonly json?: boolean
}

/** Stores the pets of a file by the rules for requests; rejected lines are reported by number. */
export async function importCommand(name: string, options: ImportOptions, command: Command): Promise<void> {
  const { onError, dryRun = false, again = false, continue: continues = false } = options
  const format = options.format ?? formatOf(name)
  if (format === undefined) command.error(`error: ${missingFormat(name)}`)
  const file = await findPetFile(name)
  const settings = readSettings()
  const rejectedLines = openRejectedLines(options.report, name)
  try {
    const work = { file, format, onError, report: rejectedLines.add, again, continues, progress: createProgress() }
    if (dryRun) return printResult(await importPets(work), options)
    if (!(await hasBulkAccess(settings))) {
      console.error(
        'This adapter has no bulk access: pets are stored one by one, and an interrupted import cannot continue.',
      )
    }
    await withTransfer(settings, {}, async ({ addPets, readPetImports }) => {
      const canContinue = readPetImports !== undefined && file.bytes !== undefined
      let stored = 0
      const target: ImportTarget = {
        async addPets(pets, progress) {
          await addPets(pets, progress)
          stored += pets.length
        },
        ...(readPetImports && { readPetImports }),
      }
      const stopped = () =>
        `Stopped. ${amount(stored, 'pet')} ${stored === 1 ? 'is' : 'are'} stored${canContinue ? '; run the same command to continue' : ''}.`
      printResult(await interruptible(stopped, () => importPets(work, target)), options, canContinue)
    })
  } finally {
    rejectedLines.close()
  }
}

const SPREADSHEET = /\.(?:xls[xmb]?|ods|numbers)$/i

function missingFormat(name: string): string {
  if (name === '-')
    return 'standard input has no name that ends in .csv or .ndjson; add --format csv or --format ndjson'
  if (SPREADSHEET.test(name)) {
    return `${JSON.stringify(name)} is a spreadsheet; save it as "CSV UTF-8" and import that file`
  }
  return 'the name of the file does not end in .csv or .ndjson; add --format csv or --format ndjson'
}

function printResult(result: ImportResult, { dryRun = false, json = false }: ImportOptions, canContinue = false): void {
  const { stored, storedEarlier, rejected, stopReason } = result
  if (json) {
    console.log(JSON.stringify({ dryRun, stored, storedEarlier, rejected, isComplete: stopReason === undefined }))
  } else {
    const earlier = storedEarlier === 0 ? '' : `, after ${amount(storedEarlier, 'pet')} of an earlier run`
    const done = dryRun ? `${amount(stored, 'pet')} can be imported` : `Imported ${amount(stored, 'pet')}${earlier}`
    console.log(rejected === 0 ? `${done}.` : `${done}; ${amount(rejected, 'line')} rejected.`)
  }
  if (stopReason !== undefined) {
    const mayContinue = canContinue && stored + storedEarlier > 0
    console.error(mayContinue ? `${stopReason} Correct the file and run the command with --continue.` : stopReason)
  }
  if (stopReason !== undefined || rejected > 0) process.exitCode = 1
}
