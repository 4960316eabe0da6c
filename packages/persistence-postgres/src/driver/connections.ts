import { isPetError } from '@pet-store/domain'
import type { PoolUse } from '@pet-store/persistence'
import { cannotOpen, createPool, openPostgresDatabase, type PostgresDatabase } from '../database/database.ts'
import { withRetries } from '../database/retries.ts'
import { DEFAULT_POOL_SIZE, type PostgresOptions, poolConfig } from '../database/settings.ts'
import { assertReads, createGroupedReads } from './grouped-reads.ts'
import { poolUse, type Run, runOnPool } from './pool-statements.ts'

/** The number of connections for reads. More were no faster, and cost the server more. */
const READERS = 2

/** With fewer connections than these, each is worth more to writes, which wait for the disk. */
const MIN_POOL_SIZE_FOR_READERS = 4

/** The connections to a database: a pool for everything, and beside it one for grouped reads. */
export interface PostgresConnections extends PostgresDatabase {
  /** For statements that read little and are quick; never two that belong together. */
  readonly read: Run
  readonly write: Run
  use(name: string): PoolUse
  /** Resolves when every statement has its result and the connections are closed. */
  close(): Promise<void>
}

/** Opens a database as `openPostgresDatabase` does. Together there are at most `poolSize` connections. */
export async function openPostgresConnections(options: PostgresOptions): Promise<PostgresConnections> {
  const { poolSize = DEFAULT_POOL_SIZE, pooler = 'none' } = options
  // A pooler distributes its connections itself.
  if (poolSize < MIN_POOL_SIZE_FOR_READERS || pooler !== 'none') {
    const database = await openPostgresDatabase(options)
    const { pool } = database
    return {
      ...database,
      read: runOnPool(pool, 'not_stored'),
      write: runOnPool(pool, 'unknown'),
      use: (name) => poolUse(name, pool),
      close: () => pool.end(),
    }
  }

  const database = await openPostgresDatabase({ ...options, poolSize: poolSize - READERS })
  const { pool } = database
  const { query_timeout: readTimeoutMs, ...config } = poolConfig({ ...options, poolSize: READERS })
  const readPool = createPool(config)
  const reads = createGroupedReads(readPool, readTimeoutMs)
  const close = async () => {
    await reads.finish()
    await Promise.all([pool.end(), readPool.end()])
  }
  try {
    await withRetries(() => assertReads(reads))
  } catch (error) {
    await close()
    throw cannotOpen(database.address, isPetError(error) ? error.cause : error)
  }
  return {
    ...database,
    read: reads.read,
    write: runOnPool(pool, 'unknown'),
    use: (name) => poolUse(name, pool, readPool),
    close,
  }
}
