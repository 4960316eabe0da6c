import { MikroORM } from '@mikro-orm/postgresql'
import { ormOptions } from '@pet-store/persistence-mikro-orm'
import { PostgresDialect, type PostgresPool } from 'kysely'
import { MIGRATIONS } from './schema.ts'

/**
 * The ORM over open connections, for migrations, the comparison of schemas and compiling
 * statements. It has no other resources: ending the pool closes it. `name` is that of the database;
 * the migrator would create one of any other name.
 */
export function createPostgresOrm(name: string, pool: PostgresPool): MikroORM {
  return new MikroORM({
    ...ormOptions(MIGRATIONS),
    dbName: name,
    driverOptions: new PostgresDialect({ pool }),
  })
}
