// The adapter
export { openPostgresPersistence } from './open-persistence.ts'
export type { PostgresPersistence } from './open-persistence.ts'

// Its settings
export { postgresCapabilities } from './database/settings.ts'
export type { Pooler, PostgresOptions } from './database/settings.ts'

// Its schema, for commands that migrate without serving
export { migratePostgres, readPostgresMigrations } from './migrations.ts'

// Many pets at a time, for import, export and copy
export { openPostgresBulkAccess } from './bulk-access.ts'
