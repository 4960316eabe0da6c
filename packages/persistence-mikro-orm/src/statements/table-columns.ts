import type { EntityMetadata, EntitySchema } from '@mikro-orm/core'
import { type SqlEntityManager, SqlitePlatform } from '@mikro-orm/sql'
import type { SqlValue } from '../entities/codec.ts'
import type { Statement } from './statement-runner.ts'

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

/** The name of an entity's table, and those of its columns by property, so that a renamed column reaches every statement. */
export interface TableNames<Property extends string> {
  readonly table: string
  readonly column: Readonly<Record<Property, string>>
}

export function namesOf<Property extends string>(
  em: SqlEntityManager,
  record: EntitySchema,
  properties: readonly Property[],
): TableNames<Property> {
  const { table, columns } = columnsOf(em.getMetadata().get(record), properties)
  const entries = columns.map(({ name }, index) => [properties[index], name])
  return { table, column: Object.fromEntries(entries) as Record<Property, string> }
}

/**
 * Makes a statement for the database of an entity manager. Placeholders are `$1`, `$2` and so on; SQLite has `?` only, so
 * its statements must have them in order, each once.
 */
export function statementFor(em: SqlEntityManager) {
  const isSqlite = em.getPlatform() instanceof SqlitePlatform
  return <Values extends readonly SqlValue[], Row extends readonly SqlValue[]>(
    name: string,
    sql: string,
  ): Statement<Values, Row> => {
    if (!isSqlite) return { name, sql }
    let last = 0
    const text = sql.replaceAll(/\$(\d+)/g, (_, number) => {
      last += 1
      if (Number(number) !== last) throw new Error(`The placeholders of ${name} are not in order: ${sql}`)
      return '?'
    })
    return { name, sql: text }
  }
}
