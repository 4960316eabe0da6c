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
    if (output === undefined) await writeAll(text, toStandardOutput).catch(unlessClosed)
    else
      await interruptible(
        () => `Stopped. ${JSON.stringify(output)} was not written.`,
        () => writeTo(output, text),
      )
  })
}

async function writeTo(output: string, text: AsyncIterable<Uint8Array>): Promise<void> {
  try {
    await replaceFile(output, (file) => writeAll(text, (part) => file.appendFile(part)))
  } catch (error) {
    // A full disk, for instance; errors of the database name the database.
    if (!isWriting(error)) throw error
    throw fileError('write', output, error)
  }
}

/** Writes one part while the next one is made. */
async function writeAll(text: AsyncIterable<Uint8Array>, write: (part: Uint8Array) => Promise<void>): Promise<void> {
  let writing: Promise<void> = Promise.resolve()
  try {
    for await (const part of text) {
      await writing
      writing = write(part)
      // It rejects for the next `await`.
      writing.catch(() => {})
    }
  } finally {
    await writing
  }
}

function toStandardOutput(part: Uint8Array): Promise<void> {
  return new Promise((resolve, reject) => {
    // The stream also emits the error, which would end the program.
    if (process.stdout.listenerCount('error') === 0) process.stdout.on('error', () => {})
    process.stdout.write(part, (error) => (error ? reject(error) : resolve()))
  })
}

const WRITING: ReadonlySet<unknown> = new Set(['write', 'fsync', 'rename'])

function isWriting(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && 'syscall' in error && WRITING.has(error.syscall)
}

/** A reader such as `head` closes the pipe when it has read enough. */
function unlessClosed(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE') throw error
}
