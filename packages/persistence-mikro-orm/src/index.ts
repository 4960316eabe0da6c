// The tables and their migrations, for the ORM of an adapter
export { assertMigrated, assertNotNewer, migrationState, ormOptions } from './migrations.ts'

// The repositories
export {
  type NewKeyColumns,
  type PetWriter,
  SqlPetReader,
  SqlPetRepository,
} from './repositories/sql-pet-repository.ts'
export { SqlApiKeyRepository } from './repositories/sql-api-key-repository.ts'

// Their statements
export { compilePetStatements, type PetStatements, petTables } from './statements/pet-statements.ts'
export type { SqlValue, SqlValues } from './entities/codec.ts'
export type { NewPetColumns } from './entities/records.ts'

// Many items at a time
export { type BulkDatabase, createBulkAccess } from './bulk/bulk-access.ts'

// What an adapter brings
export type { Statement, StatementRunner } from './statements/statement-runner.ts'
export {
  bytesOf,
  GroupedStatements,
  rejectionFor,
  tooManyWait,
  WAITING_LIMITS,
} from './statements/grouped-statements.ts'
export type { GroupOptions, WaitingStatement } from './statements/grouped-statements.ts'
