// What differs between databases
export type { SqlDialect } from './statements/sql-dialect.ts'

// The tables and their migrations, for the ORM of an adapter
export { ormOptions } from './orm/orm-options.ts'
export {
  appliedMigrations,
  assertMigrated,
  assertNotNewer,
  migrationState,
} from './orm/migrations.ts'

// The repositories
export { SqlPetReader } from './repositories/sql-pet-reader.ts'
export { createSqlPetRepository, type SqlPetRepository } from './repositories/sql-pet-repository.ts'
export type { NewKeyColumns, PetWriter } from './repositories/pet-writer.ts'
export { MikroOrmApiKeyRepository } from './repositories/mikro-orm-api-key-repository.ts'

// What goes through the ORM
export {
  EntityManagers,
  type EntityManagersOptions,
  type EntityWork,
} from './orm/entity-managers.ts'

// The hot statements
export { petStatements, type PetStatements } from './statements/pet-statements.ts'
export { IDEMPOTENCY_KEY_COLUMNS } from './statements/idempotency-key-statements.ts'
export {
  columnsFromPet,
  NEW_PET_COLUMNS,
  type NewPetColumns,
  PET_COLUMNS,
} from './entities/pet-columns.ts'
export { type Statement, statementsOf } from './statements/statement.ts'
export type { SqlValue, SqlValues } from './statements/sql-values.ts'
export type { StatementRunner } from './statements/statement-runner.ts'
export { GroupedStatements, type GroupOptions } from './statements/grouped-statements.ts'
export {
  bytesOf,
  rejectionFor,
  tooManyWait,
  WAITING_LIMITS,
  type WaitingStatement,
} from './statements/waiting-statement.ts'
export { RunningCalls } from './statements/running-calls.ts'

// Many items at a time
export {
  type BulkDatabase,
  type BulkTransaction,
  createBulkAccess,
} from './bulk/bulk-access.ts'
export type { BulkInsert } from './bulk/bulk-insert.ts'
