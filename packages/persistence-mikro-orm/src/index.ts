// The tables and their migrations, for the ORM of an adapter
export { ormOptions, SERVED_ENTITIES } from './orm-options.ts'
export { PetRecord } from './entities/pet-record.ts'
export { assertMigrated, assertNotNewer, migrationState } from './migration-list.ts'

// The repositories
export { compilePetStatements, PET_INSERT } from './statements/pet-statements.ts'
export type { PetStatements } from './statements/pet-statements.ts'
export { SqlPetRepository } from './repositories/sql-pet-repository.ts'
export { compileFindApiKeyByHash } from './statements/api-key-statements.ts'
export type { FindApiKeyByHash } from './statements/api-key-statements.ts'
export { SqlApiKeyRepository } from './repositories/sql-api-key-repository.ts'
export type { EntityAccess } from './repositories/sql-api-key-repository.ts'

// Many items at a time
export { createBulkAccess } from './bulk/bulk-access.ts'
export type { BulkDatabase, SqlText } from './bulk/bulk-access.ts'

// What an adapter brings
export type {
  NextStatement,
  PositionalStatement,
  SqlValue,
  Statement,
  StatementRunner,
} from './statements/statement-runner.ts'
export type { TableColumns } from './statements/table-columns.ts'
