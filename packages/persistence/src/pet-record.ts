import { type NewPet, PET_FIELDS, type Pet, type PetId } from '@pet-store/domain'

/**
 * A pet as one flat row of text, for databases that have no 64-bit integers: integers are written
 * in decimal digits. An absent field is absent here too. A new field of a pet needs no change here.
 */
export type PetRecord = Readonly<Record<string, string>>

const INTEGERS: ReadonlySet<string> = new Set([
  'id',
  ...Object.entries(PET_FIELDS).flatMap(([name, { isInteger }]) => (isInteger ? [name] : [])),
])

/** A new pet as a row, without an `id` if the database gives it one. */
export function petToRecord(pet: NewPet, id?: PetId): PetRecord {
  const fields = Object.entries({ ...(id !== undefined && { id }), ...pet })
  return Object.fromEntries(fields.map(([name, value]) => [name, String(value)]))
}

/** The pet of a row, not validated. */
export function petFromRecord(record: PetRecord): Pet {
  const fields = Object.entries(record).map(([name, value]) => {
    return [name, INTEGERS.has(name) ? BigInt(value) : value]
  })
  return Object.fromEntries(fields)
}
