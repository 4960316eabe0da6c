import type { Pet, PetInput, PetStatus } from '@pet-store/domain'

/** The column of each field of a new pet, in the order of `NewPetColumns`. */
const COLUMN_OF = {
  name: 'name',
  categoryId: 'category_id',
  status: 'status',
} satisfies Record<keyof PetInput, string>

/** The columns of a new pet, for statements. */
export const NEW_PET_COLUMNS: string = Object.values(COLUMN_OF).join(', ')

/** The columns of a pet, for statements. */
export const PET_COLUMNS = `id, ${NEW_PET_COLUMNS}`

/** A new pet as a row; `null` for a field that is absent. */
export type NewPetColumns = readonly [name: string, categoryId: bigint, status: PetStatus | null]

/** A pet as a row. */
export type PetColumns = readonly [id: bigint, ...NewPetColumns]

/**
 * Makes a pet from its columns without validating it: a rule added later must not hide pets that
 * are stored already. An absent status stays absent.
 *
 * This is on the hot path. It has two object literals, because adding `status` to an existing
 * object gives it another hidden class in V8; and it uses indexes, because destructuring an array
 * runs an iterator.
 */
export function petFromColumns(columns: PetColumns): Pet {
  const status = columns[3]
  if (status === null) return { id: columns[0], name: columns[1], categoryId: columns[2] }
  return {
    id: columns[0],
    name: columns[1],
    categoryId: columns[2],
    status,
  } satisfies Required<Pet>
}

/** Makes the columns of a pet that has no id yet. */
export function columnsFromPet({ name, categoryId, status }: PetInput): NewPetColumns {
  return [name, categoryId, status ?? null]
}
