import type { Pet, PetStatus } from '@pet-store/domain'

/** A pet as a statement gives it: columns as the database names them, `null` where nothing was said. */
export interface PetRow {
  readonly id: bigint
  readonly name: string
  readonly category_id: bigint
  readonly status: PetStatus | null
}

/** A pet with what it was created under. */
export interface PetOnceRow extends PetRow {
  readonly once_fingerprint: string
  readonly once_at: bigint
}

/**
 * Makes a pet of a row without judging it: a rule made tomorrow must not hide what was stored today.
 * An absent status stays absent. Two literals, because a pet made in two steps costs a second hidden class.
 */
export function petFromRow({ id, name, category_id: categoryId, status }: PetRow): Pet {
  return status === null ? { id, name, categoryId } : { id, name, categoryId, status }
}
