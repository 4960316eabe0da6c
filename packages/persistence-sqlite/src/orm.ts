import { MikroORM } from '@mikro-orm/sqlite'
import { ormOptions } from '@pet-store/persistence-mikro-orm'
import type { Database } from 'better-sqlite3'
import { createExactDialect } from './driver/exact-dialect.ts'
import { CreatePets } from './migrations/0001-create-pets.ts'
import { RememberCreations } from './migrations/0002-remember-creations.ts'
import { CreateApiKeys } from './migrations/0003-create-api-keys.ts'
import { NoteImports } from './migrations/0004-note-imports.ts'

/** Every migration in order. The names are stored in existing databases: they never change, and none is ever removed. */
const MIGRATIONS = [
  { name: '0001-create-pets', class: CreatePets },
  { name: '0002-remember-creations', class: RememberCreations },
  { name: '0003-create-api-keys', class: CreateApiKeys },
  { name: '0004-note-imports', class: NoteImports },
]

export const MIGRATION_NAMES: readonly string[] = MIGRATIONS.map(({ name }) => name)

/** The last migration: a schema that has it is up to date. */
export const LATEST_MIGRATION: string = MIGRATION_NAMES.at(-1) ?? ''

/** The ORM over an open database. Closing the ORM closes the database. */
export function createSqliteOrm(database: Database): MikroORM {
  return new MikroORM({
    ...ormOptions(MIGRATIONS),
    dbName: database.name,
    driverOptions: createExactDialect(database),
  })
}
