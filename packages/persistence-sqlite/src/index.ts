// The adapter
export { openSqlitePersistence } from './open-persistence.ts'
export type { SqlitePersistence } from './open-persistence.ts'

// Its settings
export { sqlitePath } from './settings.ts'
export type { SqliteOptions } from './settings.ts'

// Its schema, for commands that migrate without serving
export { migrateSqlite, pendingSqliteMigrations } from './migrations.ts'

// Many rows at once, for moving them
export { openSqliteBulk } from './bulk-access.ts'
export type { BulkAccess, PetImportRow } from '@pet-store/persistence-mikro-orm'
