// The tables and their migrations, for the ORM of an adapter
export { ormOptions } from './orm-options.ts'
export { assertMigrated, assertNotNewer, migrationState } from './migration-list.ts'

// The repositories
export { SqlPetReader, SqlPetRepository } from './repositories/sql-pet-repository.ts'
export type { NewKeyColumns, PetWriter } from './repositories/sql-pet-repository.ts'
export { SqlApiKeyRepository } from './repositories/sql-api-key-repository.ts'

// Their statements
export { compilePetStatements, petTables } from './statements/pet-statements.ts'
export type { PetStatements } from './statements/pet-statements.ts'
export type { SqlValue } from './entities/codec.ts'
export type { NewPetColumns } from './entities/records.ts'

// Many items at a time
export { createBulkAccess } from './bulk/bulk-access.ts'
export type { BulkDatabase } from './bulk/bulk-access.ts'

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
