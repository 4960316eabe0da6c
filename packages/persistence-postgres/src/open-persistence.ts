import { setImmediate } from 'node:timers/promises'
import type { MikroORM } from '@mikro-orm/postgresql'
import type { ApiKeyRepository, CreateRateLimiter } from '@pet-store/access'
import { type PetId, type PetRepository, persistenceUnavailable } from '@pet-store/domain'
import type { Persistence, PoolUse } from '@pet-store/persistence'
import { SERVED_ENTITIES, SqlApiKeyRepository, SqlPetRepository } from '@pet-store/persistence-mikro-orm'
import { openPostgresConnections, type PostgresConnections } from './driver/connections.ts'
import { createEntityAccess } from './driver/entity-access.ts'
import { listFromReplicas } from './driver/list-from-replicas.ts'
import { PetHorizon } from './driver/pet-horizon.ts'
import { createPostgresRateLimiter } from './driver/rate-limiter.ts'
import { PostgresReplica } from './driver/replica.ts'
import { withRetries } from './driver/retry-conflicts.ts'
import { createPostgresStatementRunner } from './driver/statement-runner.ts'
import { FIND_API_KEY_BY_HASH, PET_STATEMENTS } from './hot-statements.ts'
import { ensureMigrated } from './migrations.ts'
import { createPostgresOrm, LATEST_MIGRATION } from './orm.ts'
import type { PostgresOptions } from './settings.ts'

/** An open database. Whoever opened it closes it. */
export interface PostgresPersistence extends Persistence {
  readonly pets: PetRepository
  readonly apiKeys: ApiKeyRepository
  /** Counts for every instance on this database together. */
  readonly createRateLimiter: CreateRateLimiter
  isMigrated(): Promise<boolean>
  /** The use of the connections to the primary and to each replica. */
  poolUse(): readonly PoolUse[]
  /** For each replica, the id up to which it serves lists at present; `undefined` while it serves none. */
  replicaHorizons(): readonly (PetId | undefined)[]
}

/** Opens a PostgreSQL database and resolves once it works; migrates first if it may. */
export async function openPostgresPersistence(options: PostgresOptions): Promise<PostgresPersistence> {
  const connections = await openPostgresConnections(options)
  try {
    await ensureMigrated(connections, options)
    return persistenceOf(connections, await PostgresReplica.openAll(options), options)
  } catch (error) {
    await connections.close()
    throw error
  }
}

function persistenceOf(
  connections: PostgresConnections,
  replicas: readonly PostgresReplica[],
  { pooler = 'none' }: PostgresOptions,
): PostgresPersistence {
  const { pool, write, read } = connections
  // Made when it is needed first: that takes a fifth of the time of a start. Work with it begins in a later turn of
  // the event loop, because its own first run takes as long again.
  let orm: Promise<MikroORM> | undefined
  const em = async () => {
    orm ??= setImmediate(createPostgresOrm(connections, SERVED_ENTITIES))
    return (await orm).em
  }
  const entities = createEntityAccess(em)
  const runner = createPostgresStatementRunner(pooler, write, read)
  const horizon =
    replicas.length === 0
      ? undefined
      : new PetHorizon(pool, (mark) => {
          for (const replica of replicas) replica.expect(mark)
        })

  const apiKeys = new SqlApiKeyRepository(entities, FIND_API_KEY_BY_HASH, runner)

  return {
    pets: listFromReplicas(new SqlPetRepository(PET_STATEMENTS, runner), replicas),
    apiKeys,
    createRateLimiter: createPostgresRateLimiter(runner),
    async check() {
      // The table too, so that a database without one is noticed.
      const opened = await em()
      const rows = await withRetries(() =>
        opened
          .fork()
          .execute<{ isReadOnly: boolean }[]>(
            `select current_setting('transaction_read_only') = 'on' as "isReadOnly" from (select count(*) from (select 1 from pet limit 1) one) counted`,
          ),
      )
      if (rows[0]?.isReadOnly !== true) return
      throw persistenceUnavailable({ message: 'The database is read-only: a standby, or set to be read-only.' })
    },
    async isMigrated() {
      const find = 'select 1 from migration where name = ?'
      return (await entities.read((em) => em.execute<object[]>(find, [LATEST_MIGRATION]))).length === 1
    },
    poolUse: () => [
      connections.use('primary'),
      ...replicas.map((replica, index) => replica.poolUse(`replica-${index + 1}`)),
    ],
    replicaHorizons: () => replicas.map(({ isResting, hasPetsUpTo }) => (isResting ? undefined : hasPetsUpTo)),
    async close() {
      await apiKeys.finish()
      horizon?.close()
      // Replicas first: the end of a list that began there is read here.
      await PostgresReplica.closeAll(replicas)
      await runner.finish()
      await connections.close()
    },
  }
}
