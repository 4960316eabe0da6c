// The adapter
export { openPostgresPersistence } from './open-persistence.ts'
export type { PostgresPersistence } from './open-persistence.ts'

// Its settings
export { postgresCapabilities } from './settings.ts'
export type { Pooler, PostgresOptions } from './settings.ts'

// Its schema, for commands that migrate without serving
export { migratePostgres, readPostgresMigrations } from './migrations.ts'

// Many pets at a time, for import, export and copy
export { openPostgresBulkAccess } from './bulk-access.ts'
