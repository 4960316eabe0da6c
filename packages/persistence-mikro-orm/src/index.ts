// The tables, for the ORM of an adapter
export { ormOptions } from './orm-options.ts'
export { ApiKeyRecord } from './api-key-record.ts'
export { PetRecord } from './pet-record.ts'

// The repositories over them
export { compilePetStatements } from './pet-statements.ts'
export type { PetStatements } from './pet-statements.ts'
export { MikroOrmPetRepository } from './mikro-orm-pet-repository.ts'
export { compileApiKeyStatements } from './api-key-statements.ts'
export type { ApiKeyStatements } from './api-key-statements.ts'
export { MikroOrmApiKeyRepository } from './mikro-orm-api-key-repository.ts'

// Rows as they are, for moving them
export { createBulkAccess } from './bulk-access.ts'
export type { BulkAccess, BulkStatement, BulkWriter, PetImportStep } from './bulk-access.ts'
export type { BulkColumns } from './bulk-columns.ts'
export type { ApiKeyBulkRow, PetBulkRow, PetImportRow } from './bulk-statements.ts'

// What an adapter brings
export type { PositionalStatement, SqlValue, Statement, StatementRunner } from './statement-runner.ts'
