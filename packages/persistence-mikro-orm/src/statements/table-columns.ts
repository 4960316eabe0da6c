import type { EntitySchema } from '@mikro-orm/core'
import { type SqlEntityManager, SqlitePlatform } from '@mikro-orm/sql'
import type { SqlValues } from '../entities/codec.ts'
import type { Statement } from './statement-runner.ts'

/** The table of an entity, and the columns of some of its properties. */
export interface TableColumns<Property extends string = string> {
  readonly table: string
  /** In the order of the properties. */
  readonly columns: readonly {
    readonly name: string
    readonly isInteger: boolean
    readonly isKey: boolean
  }[]
  /** Their names, separated by commas. */
  readonly names: string
  /** Their names by property, so that a renamed column reaches every statement. */
  readonly column: Readonly<Record<Property, string>>
}

export function columnsOf<Property extends string>(
  em: SqlEntityManager,
  record: EntitySchema,
  fields: readonly Property[],
): TableColumns<Property> {
  const { tableName, properties } = em.getMetadata().get(record)
  const columns = fields.map((name) => {
    const property = properties[name]
    if (property === undefined) throw new Error(`${tableName} has no property ${name}`)
    const isKey = property.primary === true
    return {
      name: property.fieldNames[0] ?? '',
      isInteger: property.runtimeType === 'bigint',
      isKey,
    }
  })
  const entries = columns.map(({ name }, index) => [fields[index], name])
  const names = columns.map(({ name }) => name).join(', ')
  return {
    table: tableName,
    columns,
    names,
    column: Object.fromEntries(entries) as Record<Property, string>,
  }
}

/** As many placeholders as there are columns. */
export function placeholders({ length }: readonly unknown[]): string {
  return Array.from({ length }, (_, index) => `$${index + 1}`).join(', ')
}

/**
 * Makes a statement for the database of an entity manager. Placeholders are `$1`, `$2` and so on;
 * SQLite has `?` only, so they must be in order, each once.
 */
export function statementFor(em: SqlEntityManager) {
  const isSqlite = em.getPlatform() instanceof SqlitePlatform
  return <Values extends SqlValues, Row extends SqlValues>(
    name: string,
    sql: string,
  ): Statement<Values, Row> => ({
    name,
    sql: isSqlite ? sql.replaceAll(/\$\d+/g, '?') : sql,
  })
}
