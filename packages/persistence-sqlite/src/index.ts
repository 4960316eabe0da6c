// The adapter
export { openSqlitePersistence, type SqlitePersistence } from './open-persistence.ts'

// Its settings
export { type SqliteOptions, sqliteCapabilities, sqliteFile } from './database/settings.ts'

// Its schema, for commands that migrate without serving
export { migrateSqlite, readSqliteMigrations } from './migrations.ts'

// Many pets at a time, for import, export and copy
export { openSqliteBulkAccess } from './bulk-access.ts'

// Its backups
export { backupSqlite } from './backup.ts'
export { type RestoredSqlite, restoreSqlite } from './restore.ts'
export type { OnCopied, SqliteBackup } from './database/checked-copy.ts'
