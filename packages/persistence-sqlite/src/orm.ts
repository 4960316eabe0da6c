import { type MigrationObject, MikroORM } from '@mikro-orm/sqlite'
import { ormOptions } from '@pet-store/persistence-mikro-orm'
import type { Database } from 'better-sqlite3'
import { createExactDialect } from './driver/exact-dialect.ts'
import { CreateSchema } from './migrations/0001-create-schema.ts'

/** Every migration in order. The names are stored in existing databases: they never change, and none is ever removed. */
export const MIGRATIONS: readonly MigrationObject[] = [{ name: '0001-create-schema', class: CreateSchema }]

/** The ORM over an open database. Closing the ORM closes the database only if the ORM has used it. */
export function createSqliteOrm(database: Database): MikroORM {
  return new MikroORM({
    ...ormOptions(MIGRATIONS),
    dbName: database.name,
    driverOptions: createExactDialect(database),
  })
}
