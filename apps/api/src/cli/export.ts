import { existsSync, realpathSync } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import { withBulkAccess } from '../persistence/open-persistence.ts'
import { readSettings } from '../settings/read-settings.ts'
import { type ExportOptions, exportPets } from '../transfer/export-pets.ts'
import { type Format, formatOf, replaceFile } from '../transfer/pet-file.ts'
import { amount, interruptible } from '../transfer/progress.ts'

interface ExportCommandOptions extends Pick<ExportOptions, 'ids' | 'status'> {
  readonly format?: Format
  readonly output?: string
}

/** Writes pets to a file, or to standard output for as long as it is read. */
export async function exportCommand({
  output: given,
  ...options
}: ExportCommandOptions): Promise<void> {
  const output = given === '-' ? undefined : given
  const format = options.format ?? (output === undefined ? undefined : formatOf(output)) ?? 'ndjson'
  const settings = readSettings()
  await withBulkAccess(settings, { mode: 'read' }, async (source) => {
    let count = 0
    const onPets = (pets: number) => (count += pets)
    const text = exportPets(source, { ...options, format, onPets })
    if (output === undefined) {
      let outputError: unknown
      process.stdout.once('error', (error) => (outputError = error))
      // Ended by the pipeline, it would report an error of the database as its own. Its own ones
      // main.ts reports.
      return pipeline(text, process.stdout, { end: false }).catch((error) => {
        if (error !== outputError) throw error
      })
    }
    const database = settings.databaseUrl.replace(/^sqlite:/, '')
    if ([output, database].every(existsSync) && realpathSync(output) === realpathSync(database))
      throw new Error(`Cannot write ${JSON.stringify(output)}: it is the database itself.`)
    const stopped = () => `Stopped. ${JSON.stringify(output)} was not written.`
    await interruptible(stopped, () => replaceFile(output, text))
    console.error(`Exported ${amount(count, 'pet')} to ${JSON.stringify(output)}.`)
  })
}
