import type { Pet, PetStatus } from '@pet-store/domain'
import type { BulkAccess } from '@pet-store/persistence'
import { ID, PET_FIELDS, petJson } from './pet-fields.ts'
import type { Format } from './pet-file.ts'

/** The number of pets in memory at once. */
const PAGE = 5_000

export interface ExportOptions {
  readonly format: Format
  /** Whether ids are written. */
  readonly ids: boolean
  /** Only pets with this status. */
  readonly status?: PetStatus
}

/** Returns pets as text by ascending id, a page at a time. The next page is read when more text is asked for. */
export async function* exportPets(
  from: Pick<BulkAccess, 'readPets'>,
  { format, ids, status }: ExportOptions,
): AsyncGenerator<string> {
  const line = format === 'csv' ? csvLine : ndjsonLine
  if (format === 'csv') yield `${[...(ids ? [ID] : []), ...PET_FIELDS.map(({ name }) => name)].join(',')}\n`
  let after: bigint | undefined
  for (;;) {
    const pets = await from.readPets({
      limit: PAGE,
      ...(after !== undefined && { after }),
      ...(status !== undefined && { status }),
    })
    if (pets.length === 0) return
    yield pets.map((pet) => line(pet, ids)).join('')
    after = pets.at(-1)?.id
  }
}

function ndjsonLine(pet: Pet, ids: boolean): string {
  return `${petJson(pet, ids ? `"${ID}":${pet.id}` : '')}\n`
}

/** An absent field is an empty value. */
function csvLine(pet: Pet, ids: boolean): string {
  const values = PET_FIELDS.map(({ name, toCsv }) => (pet[name] === undefined ? '' : csvValue(toCsv(pet[name]))))
  return `${[...(ids ? [pet.id] : []), ...values].join(',')}\n`
}

/** RFC 4180 needs no quotes around spaces at the ends, but some programs cut them off without. */
function csvValue(text: string): string {
  return /[",\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
