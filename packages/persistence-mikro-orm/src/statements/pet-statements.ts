import { PET_COLUMNS, type PetColumns } from '../entities/pet-columns.ts'
import { petListStatements } from './pet-list-statements.ts'
import type { SqlDialect } from './sql-dialect.ts'
import { statementsOf } from './statement.ts'

/** The statements that read pets. Each adapter has its own for adding them. */
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
