import type { PetId } from '@pet-store/domain'
import type { SqlValue, SqlValues } from '@pet-store/persistence-mikro-orm'

/** Turns rows into columns: one array for each column. */
export function columnsOf(rows: readonly SqlValues[]): readonly SqlValues[] {
  return (rows[0] ?? []).map((_, index) => rows.map((row): SqlValue => row[index] ?? null))
}

/** Returns the ids of rows in the order in which the sequence assigned them. */
export function idsInOrder(rows: readonly (readonly [id: PetId])[]): readonly PetId[] {
  return rows.map(([id]) => id).toSorted((one, other) => (one < other ? -1 : 1))
}
