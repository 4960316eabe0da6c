import { type EntitySchema, MikroORM } from '@mikro-orm/sqlite'
import { type AdapterMigration, latestMigration, ormOptions } from '@pet-store/persistence-mikro-orm'
import type { Database } from 'better-sqlite3'
import { createExactDialect } from './driver/exact-dialect.ts'
import { CreatePets } from './migrations/0001-create-pets.ts'
import { RememberCreations } from './migrations/0002-remember-creations.ts'
import { CreateApiKeys } from './migrations/0003-create-api-keys.ts'
import { NoteImports } from './migrations/0004-note-imports.ts'
import { MoveIdempotencyKeys } from './migrations/0005-move-idempotency-keys.ts'
import { RemoveIdempotencyColumns } from './migrations/0006-remove-idempotency-columns.ts'
import { IdentifyImportedFiles } from './migrations/0007-identify-imported-files.ts'
import { RecordKeyChanges } from './migrations/0008-record-key-changes.ts'

/** Every migration in order. The names are stored in existing databases: they never change, and none is ever removed. */
export const MIGRATIONS: readonly AdapterMigration[] = [
  { name: '0001-create-pets', class: CreatePets },
  { name: '0002-remember-creations', class: RememberCreations },
  { name: '0003-create-api-keys', class: CreateApiKeys },
  { name: '0004-note-imports', class: NoteImports },
  { name: '0005-move-idempotency-keys', class: MoveIdempotencyKeys },
  { name: '0006-remove-idempotency-columns', class: RemoveIdempotencyColumns, isContraction: true },
  { name: '0007-identify-imported-files', class: IdentifyImportedFiles },
  { name: '0008-record-key-changes', class: RecordKeyChanges },
]

/** The last migration: a schema that has it is up to date. */
export const LATEST_MIGRATION: string = latestMigration(MIGRATIONS)

/** The ORM over an open database. Closing the ORM closes the database only if the ORM has used it. Default: all entities. */
export function createSqliteOrm(database: Database, entities?: readonly EntitySchema[]): MikroORM {
  return new MikroORM({
    ...ormOptions(MIGRATIONS),
    ...(entities !== undefined && { entities: [...entities] }),
    dbName: database.name,
    driverOptions: createExactDialect(database),
  })
}
