import { pipeline } from 'node:stream/promises'
import { fileError, openOutput } from '../data/file-error.ts'
import type { Format } from '../data/formats.ts'
import { formatOf } from '../data/pet-file.ts'
import { withBulk } from '../data/with-bulk.ts'
import { type WriteOptions, writePets } from '../data/write-pets.ts'

export interface ExportCommandOptions extends Pick<WriteOptions, 'ids' | 'status'> {
  readonly format?: Format
  readonly output?: string
}

/** Writes pets to a file, or to standard output for as long as somebody reads it. */
export async function exportCommand({ output, ...options }: ExportCommandOptions): Promise<void> {
  const format = options.format ?? (output === undefined ? undefined : formatOf(output)) ?? 'ndjson'
  await withBulk(
    () => false,
    async (bulk) => {
      const text = writePets(bulk, { ...options, format })
      if (output !== undefined) await writeTo(output, text)
      else await pipeline(text, process.stdout, { end: false }).catch(unlessNobodyReads)
    },
  )
}

async function writeTo(output: string, text: AsyncIterable<string>): Promise<void> {
  const file = await openOutput(output)
  try {
    await pipeline(text, file.createWriteStream())
  } catch (error) {
    // A full disk, for instance. What the database says is no fault of the file.
    if (!isWriting(error)) throw error
    throw fileError('write', output, error)
  }
}

function isWriting(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && 'syscall' in error && error.syscall === 'write'
}

/** Whoever reads has seen enough, as `head` does. */
function unlessNobodyReads(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE') throw error
}
