// What an adapter is
export type {
  DatabaseServer,
  MigrationState,
  OnStatement,
  OpenMode,
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

// The functions of the ports, for code that goes through all of them
export { API_KEY_REPOSITORY_FUNCTIONS, BULK_ACCESS_FUNCTIONS } from './port-functions.ts'

// What every adapter needs: bounded calls, and pets and API keys on flat rows
export { startDeadline } from './deadline.ts'
export { createCallGuard } from './call-guard.ts'
export type { CallGuard, CallGuardOptions } from './call-guard.ts'
export { petFromRecord, petToRecord } from './pet-record.ts'
export type { PetRecord } from './pet-record.ts'
export { createRecordPets } from './record-pet-repository.ts'
export type { AddedPetRecord, IdempotencyKeyRecord, PetRecords } from './record-pet-repository.ts'
export { createRecordApiKeys } from './record-api-key-repository.ts'
export type { ApiKeyChange, ApiKeyRecords } from './record-api-key-repository.ts'
export { apiKeyFromRecord, apiKeyToRecord } from './api-key-record.ts'
export type { ApiKeyRecord } from './api-key-record.ts'
