// What an adapter is
export type {
  DatabaseServer,
  MigrationState,
  OnStatement,
  OpenPersistence,
  Persistence,
  PersistenceCapabilities,
  PersistenceOptions,
  PoolUse,
} from './persistence.ts'

// What an adapter may offer for import, export, copy and seed
export { PET_IMPORT_STATES } from './bulk-access.ts'
export type {
  BulkAccess,
  IdempotencyKeyId,
  OpenBulkAccess,
  PetImport,
  PetImportProgress,
  PetImportState,
  StoredApiKey,
  StoredIdempotencyKey,
} from './bulk-access.ts'
