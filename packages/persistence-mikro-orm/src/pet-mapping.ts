import type { Pet, PetStatus } from '@pet-store/domain'

/** What is stored of a new pet: its columns in this order, `null` where nothing was said. */
export type NewPetColumns = readonly [name: string, categoryId: bigint, status: PetStatus | null]

/** A pet as a statement gives it. */
export type PetColumns = readonly [id: bigint, ...NewPetColumns]

/** A pet with what it was created under. */
export type PetOnceColumns = readonly [...PetColumns, fingerprint: string, at: bigint]

/**
 * Makes a pet of its columns without judging it: a rule made tomorrow must not hide what was stored today.
 * An absent status stays absent. Two literals, because a pet made in two steps costs a second hidden class; and places
 * instead of a pattern, because a pattern walks an iterator.
 */
export function petFromColumns(columns: PetColumns | PetOnceColumns): Pet {
  const status = columns[3]
  if (status === null) return { id: columns[0], name: columns[1], categoryId: columns[2] }
  return { id: columns[0], name: columns[1], categoryId: columns[2], status }
}
