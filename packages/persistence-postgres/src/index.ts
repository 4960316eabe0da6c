// The adapter
export { openPostgresPersistence, type PostgresPersistence } from './open-persistence.ts'

// Its settings
export { type Pooler, type PostgresOptions, postgresCapabilities } from './database/settings.ts'

// Its schema, for commands that migrate without serving
export { migratePostgres, readPostgresMigrations } from './migrations.ts'

// Many pets at a time, for import, export and copy
export { openPostgresBulkAccess } from './bulk-access.ts'
