import { type MigrationObject, MikroORM } from '@mikro-orm/postgresql'
import { ormOptions } from '@pet-store/persistence-mikro-orm'
import { PostgresDialect, type PostgresPool } from 'kysely'
import type { ClientBase, Pool } from 'pg'
import { CreateSchema } from './migrations/0001-create-schema.ts'

/** Every migration in order. The names are stored in existing databases: they never change, and none is ever removed. */
export const MIGRATIONS: readonly MigrationObject[] = [{ name: '0001-create-schema', class: CreateSchema }]

/**
 * The ORM over open connections, for migrations, the comparison of schemas and compiling statements. It has no other
 * resources: ending the pool closes it. `name` is that of the database; the migrator would create one of any other name.
 */
export function createPostgresOrm(name: string, pool: PostgresPool): MikroORM {
  return new MikroORM({ ...ormOptions(MIGRATIONS), dbName: name, driverOptions: new PostgresDialect({ pool }) })
}

/** A pool that is one connection, for what belongs to its transaction. */
export function poolOf(client: ClientBase, { options }: Pool): PostgresPool {
  const connection = { query: client.query.bind(client), release() {} }
  return { connect: async () => connection, end: async () => {}, options }
}
