import { DriverException } from '@mikro-orm/core'
import { MikroORM, type SqlEntityManager } from '@mikro-orm/postgresql'
import type { WriteOutcome } from '@pet-store/domain'
import { EntityManagers, ormOptions } from '@pet-store/persistence-mikro-orm'
import { Kysely, PostgresDialect, type PostgresPool } from 'kysely'
import type { ClientBase } from 'pg'
import type { PostgresDatabase } from './database/database.ts'
import { POSTGRES_DIALECT } from './database/dialect.ts'
import { sqlStateOf, unavailableOr } from './database/failures.ts'
import { withRetries } from './database/retries.ts'
import { ormConnection, ormConnectionOn } from './driver/orm-connection.ts'
import { MIGRATIONS } from './schema.ts'

/**
 * The ORM over open connections. It has no other resources: ending the pool closes it. `dbName`
 * must be the name of the open database, because the migrator would create a database of another
 * name. The migrator looks for its table in `schema`, by default in `public`.
 */
export function createPostgresOrm(
  { name, pool }: Pick<PostgresDatabase, 'name' | 'pool'>,
  connection: PostgresPool = ormConnection(pool),
  schema?: string,
): MikroORM {
  return new MikroORM({
    ...ormOptions(POSTGRES_DIALECT, MIGRATIONS),
    // MikroORM puts the name into a statement as it is.
    dbName: name.replaceAll("'", "''"),
    ...(schema !== undefined && { schema }),
    driverOptions: new PostgresDialect({ pool: connection }),
  })
}

/** Makes the entity managers, for everything that is not on the hot path. */
export function createPostgresEntityManagers(
  { em }: MikroORM,
  { onStatement, server }: Pick<PostgresDatabase, 'onStatement' | 'server'>,
): EntityManagers {
  return new EntityManagers(em, {
    read: (work) => run(work, 'not_stored'),
    write: (work) => run(work, 'unknown'),
    onStatement,
    server,
  })
}

async function run<Result>(work: () => Promise<Result>, outcome: WriteOutcome): Promise<Result> {
  try {
    return await withRetries(work)
  } catch (error) {
    const isOfDriver = error instanceof DriverException || sqlStateOf(error) !== undefined
    throw isOfDriver ? unavailableOr(error, outcome) : error
  }
}

/** Makes an entity manager whose statements run in the transaction of a connection. */
export function entityManagerOn(client: ClientBase, { em }: MikroORM): SqlEntityManager {
  const fork = em.fork()
  const dialect = new PostgresDialect({ pool: ormConnectionOn(client) })
  fork.setTransactionContext(new Kysely({ dialect }))
  return fork
}
