import { INT64, type Pet, type PetId, type PetQuery, type PetStatus } from '@pet-store/domain'
import { rawJSON } from '@pet-store/http-express'
import type { BulkAccess } from '@pet-store/persistence'
import { stringify } from 'csv-stringify/sync'
import { FILE_FIELDS } from './pet-files/entry.ts'
import type { Format } from './pet-files/pet-file.ts'

type PetSource = Pick<BulkAccess, 'readPets'>

export interface ExportOptions {
  readonly format: Format
  /** Whether ids are written. */
  readonly ids: boolean
  /** Only pets with this status. */
  readonly status?: PetStatus
  /** Called with the number of pets of each page. */
  readonly onPets?: (count: number) => void
}

/**
 * Returns pets as text by ascending id, a page at a time. Pets that are added after it has begun
 * are left out, so that it ends even if every pet that it returns is added again.
 */
export async function* exportPets(from: PetSource, options: ExportOptions): AsyncGenerator<string> {
  const { format, ids, status, onPets } = options
  const fields = FILE_FIELDS.filter(({ name }) => ids || name !== 'id')
  if (format === 'csv') yield `${fields.map(({ name }) => name).join(',')}\n`
  const upTo = await greatestId(from)
  for await (const pets of petPages(from, status, upTo)) {
    onPets?.(pets.length)
    yield format === 'csv' ? csvOf(pets, fields) : pets.map((pet) => jsonLine(pet, fields)).join('')
  }
}

/** The number of pets in a page. */
const PETS_PER_PAGE = 5_000

/** Returns all pets by ascending id, a page at a time. */
export async function* petPages(
  from: PetSource,
  status?: PetStatus,
  upTo: PetId = INT64.max,
): AsyncGenerator<readonly Pet[]> {
  let query: PetQuery = { limit: PETS_PER_PAGE, ...(status !== undefined && { status }) }
  for (;;) {
    const page = await from.readPets(query)
    const pets = page.filter(({ id }) => id <= upTo)
    const last = pets.at(-1)
    if (last === undefined) return
    yield pets
    if (pets.length < page.length || last.id === upTo) return
    query = { ...query, after: last.id }
  }
}

/**
 * Finds the greatest id of a pet, or 0 if there is none, by at most 63 reads of one row.
 * `lastPetId` is not used, because it may need the right to write.
 */
async function greatestId(from: PetSource): Promise<PetId> {
  let least = 0n
  let most: PetId = INT64.max
  while (least < most) {
    const middle = (least + most) / 2n
    const [pet] = await from.readPets({ after: middle, limit: 1 })
    if (pet === undefined) most = middle
    else least = pet.id
  }
  return least
}

function csvOf(pets: readonly Pet[], fields: typeof FILE_FIELDS): string {
  const records = pets.map((pet) => fields.map(({ name }) => pet[name]))
  // RFC 4180 requires no quotes for a space at the beginning or the end of a value, but some
  // programs remove it if there are none.
  return stringify(records, { quoted_match: /^\s|\s$|[\r\n]/ })
}

/** Writes a pet on one line, as the JSON that the service returns. */
export function jsonLine(pet: Pet, fields: typeof FILE_FIELDS = FILE_FIELDS): string {
  const values: Record<string, unknown> = {}
  for (const { name, isInteger } of fields)
    values[name] = isInteger ? rawJSON(String(pet[name])) : pet[name]
  return `${JSON.stringify(values)}\n`
}
