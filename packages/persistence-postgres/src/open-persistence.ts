import type { PetId } from '@pet-store/domain'
import type { Persistence } from '@pet-store/persistence'
import {
  createSqlPetRepository,
  MikroOrmApiKeyRepository,
  petStatements,
  RunningCalls,
} from '@pet-store/persistence-mikro-orm'
import { assertPrimaryKeys } from './database/checks/assert-primary-keys.ts'
import { assertWritable } from './database/checks/assert-writable.ts'
import { cannotOpen } from './database/database.ts'
import { POSTGRES_DIALECT } from './database/dialect.ts'
import { mayWorkOnAnother } from './database/failures.ts'
import { withRetries } from './database/retries.ts'
import type { PostgresOptions } from './database/settings.ts'
import { type ConnectedDatabase, openPostgresConnections } from './driver/connections.ts'
import { ormConnection } from './driver/orm-connection.ts'
import { createPostgresRateLimiter } from './driver/rate-limiter.ts'
import { createPostgresStatementRunner } from './driver/statement-runner.ts'
import { createPostgresPetWriter } from './driver/writes/pet-writer.ts'
import { watchWriteCapacity } from './driver/writes/write-capacity.ts'
import { migrateIfAllowed, stateOf } from './migrations.ts'
import { createPostgresEntityManagers, createPostgresOrm } from './orm.ts'
import { listFromReplicas } from './replicas/list-from-replicas.ts'
import { openReplicas } from './replicas/replicas.ts'

/** An open PostgreSQL database. The caller that opened it closes it. */
export interface PostgresPersistence extends Required<Persistence> {
  /**
   * For each replica, in the order of `replicaUrls`, the id up to which it serves lists at present;
   * `undefined` while it serves none.
   */
  replicaWatermarks(): readonly (PetId | undefined)[]
}

/**
 * Opens a PostgreSQL database and resolves once it works. Migrates it first if `mode` is `migrate`.
 * Rejects with an error that names host and database.
 */
export async function openPostgresPersistence(
  options: PostgresOptions,
): Promise<PostgresPersistence> {
  const connections = await openPostgresConnections(options)
  try {
    const orm = createPostgresOrm(connections)
    await migrateIfAllowed(connections, orm, options, { mayBeNewer: true })
    await assertPrimaryKeys(connections.pool).catch((error: unknown) => {
      throw cannotOpen(connections.address, error)
    })
    return await persistenceOf(connections, options)
  } catch (error) {
    await connections.close()
    throw error
  }
}

async function persistenceOf(
  connections: ConnectedDatabase,
  options: PostgresOptions,
): Promise<PostgresPersistence> {
  const { pool, read } = connections
  const dialect = POSTGRES_DIALECT
  // Unlike the check of migrations at opening, which works on a standby, it reads the primary only.
  const orm = createPostgresOrm(connections, ormConnection(pool, connections.assertPrimary))
  const entities = createPostgresEntityManagers(orm, connections)
  const runner = createPostgresStatementRunner(connections, read)
  const isDistributed = await isPetDistributed(connections)
  const writeCapacity = watchWriteCapacity()
  const writer = createPostgresPetWriter(connections, isDistributed, writeCapacity)
  const { onBackgroundFailure } = options
  const primary = createSqlPetRepository({ dialect, runner, writer, entities, onBackgroundFailure })
  /** The calls that closing waits for here; it waits for the others in the repositories. */
  const calls = new RunningCalls()
  const replicas = openReplicas(pool, options, petStatements(dialect))
  let countsRequests = false

  return {
    pets: listFromReplicas(primary, replicas.all),
    apiKeys: new MikroOrmApiKeyRepository(entities, dialect),
    createRateLimiter(limit) {
      countsRequests = true
      const limiter = createPostgresRateLimiter(connections, writeCapacity)(limit)
      return { take: (keyId) => calls.track(Promise.resolve(limiter.take(keyId))) }
    },
    check: () =>
      calls.track(
        assertWritable(pool, { isDistributed, countsRequests })
          .then(() => writeCapacity.assertCapacity(pool))
          .then(() => connections.endReadPause())
          .catch((error: unknown) => {
            // Behind a pooler the connections of reads may lead to another server than before.
            if (mayWorkOnAnother(error)) connections.reconnectReads()
            throw error
          }),
      ),
    async isMigrated() {
      const { pending } = await entities.read('migration_list', (em) => stateOf(connections, em))
      return pending.length === 0
    },
    poolUse() {
      const primary = connections.use('primary')
      return [
        { ...primary, waiting: primary.waiting + writer.waiting },
        ...replicas.all.map((replica, index) => replica.use(`replica-${index + 1}`)),
      ]
    },
    replicaProblems: () => replicas.problems(),
    async readClock() {
      const clock = `select ${dialect.nowMs} as ms`
      const [row] = await calls.track(withRetries(() => read({ text: clock }, [])))
      return new Date(Number(row?.[0]))
    },
    replicaWatermarks: () =>
      replicas.all.map(({ isSuspended, completeUpTo }) => (isSuspended ? undefined : completeUpTo)),
    async close() {
      // Replicas are closed first: a list that one of them does not have completely is then read
      // from the primary.
      await replicas.close()
      await Promise.all([primary.finish(), entities.finish(), calls.finish()])
      // If the server does not respond, the pool may still be connecting for a call that has been
      // rejected. Ending the pool waits for that, for up to five seconds more.
      await connections.close()
    },
  }
}

/** Whether the engine keeps the rows of the table on several servers, as Citus can. */
async function isPetDistributed({ pool }: ConnectedDatabase): Promise<boolean> {
  return withRetries(async () => {
    const { rowCount } = await pool.query(
      "select 1 from pg_class where oid = to_regclass('pg_dist_partition')",
    )
    if (rowCount === 0) return false
    // A reference table, which is whole on every server, has the method n.
    const method =
      "select 1 from pg_dist_partition where logicalrelid = 'pet'::regclass and partmethod <> 'n'"
    return (await pool.query(method)).rowCount !== 0
  })
}
