import { type MigrationObject, MikroORM } from '@mikro-orm/postgresql'
import { ormOptions } from '@pet-store/persistence-mikro-orm'
import { PostgresDialect } from 'kysely'
import type { PostgresDatabase } from './database/database.ts'
import { RequestCountRecord } from './driver/rate-limiter.ts'
import { poolForOrm } from './driver/write-transaction.ts'
import { CreateSchema } from './migrations/0001-create-schema.ts'

/** Every migration in order. The names are stored in existing databases: they never change, and none is ever removed. */
export const MIGRATIONS: readonly MigrationObject[] = [{ name: '0001-create-schema', class: CreateSchema }]

/** The ORM over open connections. It has no other resources: ending the pool closes it. */
export function createPostgresOrm({ name, pool }: PostgresDatabase): MikroORM {
  const options = ormOptions(MIGRATIONS)
  return new MikroORM({
    ...options,
    entities: [...options.entities, RequestCountRecord],
    // The migrator would create a database of any other name.
    dbName: name,
    driverOptions: new PostgresDialect({ pool: poolForOrm(pool) }),
  })
}
