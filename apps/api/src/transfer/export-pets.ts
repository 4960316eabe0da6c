import type { Pet, PetQuery, PetStatus } from '@pet-store/domain'
import { rawJSON } from '@pet-store/http-express'
import type { BulkAccess } from '@pet-store/persistence'
import { stringify } from 'csv-stringify/sync'
import { FILE_FIELDS } from './entry.ts'
import type { Format } from './pet-file.ts'

type PetSource = Pick<BulkAccess, 'readPets'>

export interface ExportOptions {
  readonly format: Format
  /** Whether ids are written. */
  readonly ids: boolean
  /** Only pets with this status. */
  readonly status?: PetStatus
  /** Told of each page. */
  readonly onPets?: (count: number) => void
}

/** Returns pets as text by ascending id, a page at a time. */
export async function* exportPets(from: PetSource, options: ExportOptions): AsyncGenerator<string> {
  const { format, ids, status, onPets } = options
  const fields = FILE_FIELDS.filter(({ name }) => ids || name !== 'id')
  if (format === 'csv') yield `${fields.map(({ name }) => name).join(',')}\n`
  for await (const pets of petPages(from, status)) {
    onPets?.(pets.length)
    yield format === 'csv' ? csvOf(pets, fields) : pets.map((pet) => jsonLine(pet, fields)).join('')
  }
}

/** The number of pets in a page. */
const PAGE = 5_000

/** Returns all pets by ascending id, a page at a time. */
export async function* petPages(
  from: PetSource,
  status?: PetStatus,
): AsyncGenerator<readonly Pet[]> {
  let query: PetQuery = { limit: PAGE, ...(status !== undefined && { status }) }
  for (;;) {
    const pets = await from.readPets(query)
    const last = pets.at(-1)
    if (last === undefined) return
    yield pets
    query = { ...query, after: last.id }
  }
}

function csvOf(pets: readonly Pet[], fields: typeof FILE_FIELDS): string {
  const records = pets.map((pet) => fields.map(({ name }) => pet[name]))
  // RFC 4180 needs no quotes around spaces at the ends, but some programs cut them off without.
  return stringify(records, { quoted_match: /^\s|\s$|[\r\n]/ })
}

/** One pet as the service returns it, in a line. */
export function jsonLine(pet: Pet, fields: typeof FILE_FIELDS = FILE_FIELDS): string {
  const values: Record<string, unknown> = {}
  for (const { name, isInteger } of fields)
    values[name] = isInteger ? rawJSON(String(pet[name])) : pet[name]
  return `${JSON.stringify(values)}\n`
}
