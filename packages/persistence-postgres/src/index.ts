// The storage
export { openPostgresPersistence } from './open-postgres-persistence.ts'
export type { PostgresPersistence } from './open-postgres-persistence.ts'
export type { PoolUse } from './pool-use.ts'

// Its settings
export { POOLERS } from './postgres-settings.ts'
export type { Pooler, PostgresOptions } from './postgres-settings.ts'

// Its schema, for commands that migrate without serving
export { migratePostgres, pendingPostgresMigrations } from './postgres-migrations.ts'

// Many pets at a time, for import, export and copy
export { openPostgresBulkAccess } from './open-postgres-bulk.ts'
