import { pipeline } from 'node:stream/promises'
import { readSettings } from '../settings/read-settings.ts'
import { type ExportOptions, exportPets } from '../transfer/export-pets.ts'
import { withTransfer } from '../transfer/open-transfer.ts'
import { type Format, fileError, formatOf, replaceFile } from '../transfer/pet-file.ts'
import { interruptible } from '../transfer/progress.ts'

export interface ExportCommandOptions extends Pick<ExportOptions, 'ids' | 'status'> {
  readonly format?: Format
  readonly output?: string
}

/** Writes pets to a file, or to standard output for as long as it is read. */
export async function exportCommand({ output, ...options }: ExportCommandOptions): Promise<void> {
  const format = options.format ?? (output === undefined ? undefined : formatOf(output)) ?? 'ndjson'
  await withTransfer(readSettings(), { readOnly: true }, async (transfer) => {
    const text = exportPets(transfer, { ...options, format })
    if (output === undefined) await pipeline(text, process.stdout, { end: false }).catch(unlessClosed)
    else
      await interruptible(
        () => `Stopped. ${JSON.stringify(output)} was not written.`,
        () => writeTo(output, text),
      )
  })
}

async function writeTo(output: string, text: AsyncIterable<Uint8Array | string>): Promise<void> {
  try {
    await replaceFile(output, (file) => pipeline(text, file.createWriteStream({ flush: true })))
  } catch (error) {
    // A full disk, for instance; errors of the database name the database.
    if (!isWriting(error)) throw error
    throw fileError('write', output, error)
  }
}

function isWriting(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && 'syscall' in error && (error.syscall === 'write' || error.syscall === 'rename')
}

/** A reader such as `head` closes the pipe when it has read enough. */
function unlessClosed(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE') throw error
}
