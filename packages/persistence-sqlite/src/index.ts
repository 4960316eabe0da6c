// The storage
export { openSqlitePersistence } from './open-sqlite-persistence.ts'
export type { SqlitePersistence } from './open-sqlite-persistence.ts'

// Its settings
export { sqlitePath } from './sqlite-settings.ts'
export type { SqliteOptions } from './sqlite-settings.ts'

// Its schema, for commands that migrate without serving
export { migrateSqlite, pendingSqliteMigrations } from './sqlite-migrations.ts'

// Rows as they are, for moving them
export { openSqliteBulk } from './open-sqlite-bulk.ts'
export type { BulkAccess, PetImportRow } from '@pet-store/persistence-mikro-orm'
