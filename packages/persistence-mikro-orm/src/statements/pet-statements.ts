import { PET_COLUMNS, type PetColumns } from '../entities/pet-columns.ts'
import { petListStatements } from './pet-list-statements.ts'
import type { SqlDialect } from './sql-dialect.ts'
import { statementsOf } from './statement.ts'

/** The reads of pets. How pets are added is up to each adapter. */
export type PetStatements = ReturnType<typeof petStatements>

export function petStatements(dialect: SqlDialect) {
  const statement = statementsOf(dialect)
  return {
    find: statement<[id: bigint], PetColumns>(
      'pet_find',
      `select ${PET_COLUMNS}
      from pet
      where id = $1`,
    ),
    ...petListStatements(dialect),
  }
}
