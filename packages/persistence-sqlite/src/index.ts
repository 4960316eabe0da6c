// The adapter
export { openSqlitePersistence } from './open-persistence.ts'
export type { SqlitePersistence } from './open-persistence.ts'

// Its settings
export { sqliteCapabilities, sqlitePath } from './database/settings.ts'
export type { SqliteOptions } from './database/settings.ts'

// Its schema, for commands that migrate without serving
export { migrateSqlite, readSqliteMigrations } from './migrations.ts'

// Many pets at a time, for import, export and copy
export { openSqliteBulkAccess } from './bulk-access.ts'

// Its backups
export { backupSqlite, restoreSqlite } from './backup.ts'
export type { RestoredSqlite, SqliteBackup } from './backup.ts'
