import type { PetId } from '@pet-store/domain'
import type { SqlValue, SqlValues } from '@pet-store/persistence-mikro-orm'

/** One list for each column. */
export function columnsOf(rows: readonly SqlValues[]): readonly SqlValues[] {
  return (rows[0] ?? []).map((_, index) => rows.map((row): SqlValue => row[index] ?? null))
}

/** The ids that the sequence has given to rows in this order. */
export function idsInOrder(rows: readonly (readonly [id: PetId])[]): readonly PetId[] {
  return rows.map(([id]) => id).toSorted((one, other) => (one < other ? -1 : 1))
}
