import { pipeline } from 'node:stream/promises'
import { openOutput } from '../data/file-error.ts'
import { type Format, formatOf } from '../data/pet-file.ts'
import { withBulk } from '../data/with-bulk.ts'
import { type WriteOptions, writePets } from '../data/write-pets.ts'

export interface ExportCommandOptions extends Pick<WriteOptions, 'ids' | 'status'> {
  readonly format?: Format
  readonly output?: string
}

/** Writes animals to a file, or to standard output for as long as somebody reads it. */
export async function exportCommand({ output, ...options }: ExportCommandOptions): Promise<void> {
  const format = options.format ?? (output === undefined ? undefined : formatOf(output)) ?? 'ndjson'
  await withBulk(
    () => false,
    async (bulk) => {
      const text = writePets(bulk, { ...options, format })
      if (output !== undefined) await pipeline(text, (await openOutput(output)).createWriteStream())
      else await pipeline(text, process.stdout, { end: false }).catch(unlessNobodyReads)
    },
  )
}

/** Whoever reads has seen enough, as `head` does. */
function unlessNobodyReads(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE') throw error
}
