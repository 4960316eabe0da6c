import type { PetStatus } from '@pet-store/domain'
import { PET_COLUMNS, type PetColumns } from '../entities/pet-columns.ts'
import type { SqlDialect } from './sql-dialect.ts'
import { statementsOf } from './statement.ts'

/** The statements that list pets by ascending id. Each reads no more rows than it returns. */
export function petListStatements(dialect: SqlDialect) {
  const statement = statementsOf(dialect)
  return {
    list: statement<[limit: number], PetColumns>(
      'pet_list',
      `select ${PET_COLUMNS}
      from pet
      order by id
      limit $1`,
    ),

    listAfter: statement<[after: bigint, limit: number], PetColumns>(
      'pet_list_after',
      `select ${PET_COLUMNS}
      from pet
      where id > $1
      order by id
      limit $2`,
    ),

    listWithStatus: statement<[status: PetStatus, limit: number], PetColumns>(
      'pet_list_with_status',
      dialect.listWithStatus,
    ),

    listWithStatusAfter: statement<[status: PetStatus, after: bigint, limit: number], PetColumns>(
      'pet_list_with_status_after',
      dialect.listWithStatusAfter,
    ),
  }
}
