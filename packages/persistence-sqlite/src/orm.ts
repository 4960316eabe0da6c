import { MikroORM } from '@mikro-orm/sqlite'
import { ormOptions } from '@pet-store/persistence-mikro-orm'
import type { Database } from 'better-sqlite3'
import { SqliteDialect } from 'kysely'
import { MIGRATIONS } from './schema.ts'

/**
 * The ORM over an open database, for migrations, the comparison of schemas and compiling
 * statements: values of pets and keys never go through it, because it rounds integers of 64 bits.
 * It has no other resources: closing the database closes it.
 */
export function createSqliteOrm(database: Database): MikroORM {
  return new MikroORM({
    ...ormOptions(MIGRATIONS),
    dbName: database.name,
    driverOptions: new SqliteDialect({ database }),
  })
}
