import type { Pet, PetStatus } from '@pet-store/domain'
import type { BulkAccess } from '@pet-store/persistence'
import type { Format } from './formats.ts'

/** How many pets are in memory at once. */
const PAGE = 5_000
/** No pet has this id: ids are given from 1 on. */
const BEGINNING = -(2n ** 63n)

export interface WriteOptions {
  readonly format: Format
  /** Whether ids are written. */
  readonly ids: boolean
  /** Only pets with this status. */
  readonly status?: PetStatus
}

/** Pets as text by ascending id, a page at a time; the next page is read when somebody asks for more text. */
export async function* writePets(
  from: Pick<BulkAccess, 'readPets'>,
  { format, ids, status }: WriteOptions,
): AsyncGenerator<string> {
  const line = format === 'csv' ? csvLine : ndjsonLine
  if (format === 'csv') yield `${ids ? 'id,' : ''}name,categoryId,status\n`
  let last = BEGINNING
  for (;;) {
    const rows = await from.readPets({ after: last, limit: PAGE, ...(status !== undefined && { status }) })
    if (rows.length === 0) return
    yield rows.map((row) => line(row, ids)).join('')
    last = rows.at(-1)?.id ?? last
  }
}

/** A status that nobody gave is left out. */
function ndjsonLine({ id, name, categoryId, status }: Pet, ids: boolean): string {
  const before = ids ? `"id":${id},` : ''
  const after = status === undefined ? '' : `,"status":"${status}"`
  return `{${before}"name":${JSON.stringify(name)},"categoryId":${categoryId}${after}}\n`
}

/** A status that nobody gave is an empty place. */
function csvLine({ id, name, categoryId, status }: Pet, ids: boolean): string {
  return `${ids ? `${id},` : ''}${csvValue(name)},${categoryId},${status ?? ''}\n`
}

/** Spaces at the ends need no quotes (RFC 4180), but some programs cut them off without. */
function csvValue(text: string): string {
  return /[",\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
