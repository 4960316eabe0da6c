import { type MigrationObject, MikroORM } from '@mikro-orm/sqlite'
import { ormOptions } from '@pet-store/persistence-mikro-orm'
import type { Database } from 'better-sqlite3'
import { SqliteDialect } from 'kysely'
import { CreateSchema } from './migrations/0001-create-schema.ts'

/** Every migration in order. The names are stored in existing databases: they never change, and none is ever removed. */
export const MIGRATIONS: readonly MigrationObject[] = [{ name: '0001-create-schema', class: CreateSchema }]

/**
 * The ORM over an open database, for migrations, the comparison of schemas and compiling statements: values of pets and keys
 * never go through it, because it rounds integers of 64 bits. It has no other resources: closing the database closes it.
 */
export function createSqliteOrm(database: Database): MikroORM {
  return new MikroORM({
    ...ormOptions(MIGRATIONS),
    dbName: database.name,
    driverOptions: new SqliteDialect({ database }),
  })
}
