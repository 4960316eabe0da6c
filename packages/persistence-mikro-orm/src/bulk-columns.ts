import type { EntityMetadata } from '@mikro-orm/core'
import type { SqlEntityManager } from '@mikro-orm/sql'
import { PetRecord } from './pet-record.ts'

/** A table, and its columns in the order in which they are written. */
export interface BulkColumns {
  readonly table: string
  readonly columns: readonly { readonly name: string; readonly isInteger: boolean }[]
}

/** What is said about a new pet; its id comes from the table. */
const NEW_PET_COLUMNS: readonly string[] = ['name', 'category_id', 'status']

/** Every column of a table. */
export function columnsOf({ tableName, props }: Pick<EntityMetadata, 'tableName' | 'props'>): BulkColumns {
  return {
    table: tableName,
    columns: props.map(({ fieldNames, runtimeType }) => ({
      name: fieldNames[0] ?? '',
      isInteger: runtimeType === 'bigint',
    })),
  }
}

/** The columns of a new pet. */
export function newPetColumns(em: SqlEntityManager): BulkColumns {
  const { table, columns } = columnsOf(em.getMetadata().get(PetRecord))
  return { table, columns: columns.filter(({ name }) => NEW_PET_COLUMNS.includes(name)) }
}
