import type { ApiKeyRepository, CreateRateLimiter } from '@pet-store/access'
import type { PetRepository } from '@pet-store/domain'
import {
  compileApiKeyStatements,
  compilePetStatements,
  SqlApiKeyRepository,
  SqlPetRepository,
} from '@pet-store/persistence-mikro-orm'
import { openPostgresConnections, type PostgresConnections } from './driver/connections.ts'
import { listFromReplicas } from './driver/list-from-replicas.ts'
import type { PoolUse } from './driver/pool-use.ts'
import { createPostgresRateLimiter } from './driver/rate-limiter.ts'
import { PostgresReplica } from './driver/replica.ts'
import { createPostgresStatementRunner } from './driver/statement-runner.ts'
import { expectMigrated, migratePostgres } from './migrations.ts'
import { createPostgresOrm, LATEST_MIGRATION } from './orm.ts'
import { keepsPrepared, type PostgresOptions } from './settings.ts'

/** An open database. Who opened it closes it. */
export interface PostgresPersistence {
  readonly pets: PetRepository
  readonly apiKeys: ApiKeyRepository
  /** Counts for every instance on this database together. */
  readonly createRateLimiter: CreateRateLimiter
  /** Kept when the database answers, rejected when it does not. */
  check(): Promise<void>
  /** Whether the schema still has every migration that this program knows. */
  isMigrated(): Promise<boolean>
  /** How busy the connections are, to the primary and to each replica. */
  poolUse(): readonly PoolUse[]
  /** Waits for what was begun and closes the connections. Nothing can be asked afterwards. */
  close(): Promise<void>
}

/** Opens a PostgreSQL database and answers only when it works; migrates first when asked to. */
export async function openPostgresPersistence(options: PostgresOptions): Promise<PostgresPersistence> {
  if (options.migrate) await migratePostgres(options)
  else await expectMigrated(options)
  const connections = await openPostgresConnections(options)
  try {
    return storageOf(connections, await PostgresReplica.openAll(options), options)
  } catch (error) {
    await connections.close()
    throw error
  }
}

function storageOf(
  connections: PostgresConnections,
  replicas: readonly PostgresReplica[],
  options: PostgresOptions,
): PostgresPersistence {
  const { pool, read } = connections
  const { em } = createPostgresOrm(connections)
  const runner = createPostgresStatementRunner(keepsPrepared(options), (query) => pool.query(query), read)

  return {
    pets: new SqlPetRepository(compilePetStatements(em), listFromReplicas(runner, replicas)),
    apiKeys: new SqlApiKeyRepository(compileApiKeyStatements(em), runner),
    createRateLimiter: createPostgresRateLimiter(runner),
    async check() {
      await pool.query('select 1 from pet limit 1')
    },
    async isMigrated() {
      const { rowCount } = await pool.query('select 1 from migration where name = $1', [LATEST_MIGRATION])
      return rowCount === 1
    },
    poolUse: () => [
      connections.use('primary'),
      ...replicas.map((replica, index) => replica.poolUse(`replica-${index + 1}`)),
    ],
    async close() {
      // Replicas first: the end of a list that was begun there is asked for here.
      await PostgresReplica.closeAll(replicas)
      await runner.finish()
      await connections.close()
    },
  }
}
