import type { EntityMetadata } from '@mikro-orm/core'

/** A table, and the columns into which rows are inserted, in the order of their values. */
export interface TableColumns {
  readonly table: string
  readonly columns: readonly { readonly name: string; readonly isInteger: boolean }[]
  /** The end of the insert, for rows that replace others. */
  readonly onConflict?: string
}

/** The columns of these properties of an entity. */
export function columnsOf({ tableName, properties }: EntityMetadata, names: readonly string[]): TableColumns {
  return {
    table: tableName,
    columns: names.map((name) => {
      const property = properties[name]
      if (property === undefined) throw new Error(`${tableName} has no property ${name}`)
      return { name: property.fieldNames[0] ?? '', isInteger: property.runtimeType === 'bigint' }
    }),
  }
}
