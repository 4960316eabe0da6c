import { existsSync, realpathSync } from 'node:fs'
import { extname } from 'node:path'
import { pipeline } from 'node:stream/promises'
import type { Command } from 'commander'
import { amount } from '../messages/amount.ts'
import { showProgress } from '../messages/progress.ts'
import { withBulkAccess } from '../persistence/open-persistence.ts'
import { readSettings } from '../settings/read-settings.ts'
import type { Settings } from '../settings/settings.ts'
import { type ExportOptions, exportPets } from '../transfer/export-pets.ts'
import { type Format, formatOf, replaceFile } from '../transfer/pet-files/pet-file.ts'
import { interruptible } from './interruptible.ts'

interface ExportCommandOptions extends Pick<ExportOptions, 'ids' | 'status'> {
  readonly format?: Format
  readonly output?: string
}

/** Writes pets to a file, or to standard output for as long as it is read. */
export async function exportCommand(
  { output: given, ...options }: ExportCommandOptions,
  command: Command,
): Promise<void> {
  const settings = readSettings()
  const output = given === '-' ? undefined : given
  if (output !== undefined) assertNotDatabase(output, settings)
  const format = options.format ?? (output === undefined ? 'ndjson' : formatFor(output, command))
  await withBulkAccess(settings, { mode: 'read' }, async (source) => {
    let count = 0
    const total = options.status === undefined ? await source.countPets() : undefined
    const progress = showProgress('Exporting', total)
    function onPets(pets: number): void {
      count += pets
      // If the pets are written to a terminal, progress would be mixed with them.
      if (output !== undefined || !process.stdout.isTTY) progress.advance(pets)
    }
    const text = exportPets(source, { ...options, format, onPets })
    if (output === undefined) {
      let outputError: unknown
      process.stdout.once('error', (error) => {
        outputError = error
      })
      // With `end`, the pipeline would report an error of the database as one of standard output.
      // Errors of standard output itself are reported by main.ts.
      return pipeline(text, process.stdout, { end: false })
        .catch((error) => {
          if (error !== outputError) throw error
        })
        .finally(progress.end)
    }
    const stopped = () => `Stopped. ${JSON.stringify(output)} was not written.`
    await interruptible(stopped, () => replaceFile(output, text).finally(progress.end))
    console.error(`Exported ${amount(count, 'pet')} to ${JSON.stringify(output)}.`)
  })
}

/**
 * The format that the name of a file ends in; NDJSON for a name without an ending. Another ending,
 * such as .xlsx, is an error, because the file would not have that format.
 */
function formatFor(output: string, command: Command): Format {
  const format = formatOf(output)
  if (format !== undefined || extname(output) === '') return format ?? 'ndjson'
  return command.error(
    `error: pets cannot be written as ${extname(output)}; name a file that ends in .csv or ` +
      '.ndjson, or add --format csv or --format ndjson',
  )
}

function assertNotDatabase(output: string, { databaseUrl }: Settings): void {
  const database = databaseUrl.replace(/^sqlite:/, '')
  if ([output, database].every(existsSync) && realpathSync(output) === realpathSync(database))
    throw new Error(`Cannot write ${JSON.stringify(output)}: it is the database itself.`)
}
