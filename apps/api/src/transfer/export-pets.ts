import type { PetStatus } from '@pet-store/domain'
import { createLineFormatter, fieldNames } from './format-lines.ts'
import type { Format } from './pet-file.ts'
import { type PetSource, petLinePages } from './pet-lines.ts'

/** The number of pets in memory at once. */
const PAGE = 5_000

export interface ExportOptions {
  readonly format: Format
  /** Whether ids are written. */
  readonly ids: boolean
  /** Only pets with this status. */
  readonly status?: PetStatus
}

/** Returns pets as text by ascending id, a page at a time. One page is read ahead. */
export async function* exportPets(
  from: PetSource,
  { format, ids, status }: ExportOptions,
): AsyncGenerator<Uint8Array | string> {
  if (format === 'csv') yield `${fieldNames(ids).join(',')}\n`
  const toFile = createLineFormatter(format, ids)
  const query = { limit: PAGE, ...(status !== undefined && { status }) }
  for await (const lines of petLinePages(from, query)) yield toFile(lines)
}
