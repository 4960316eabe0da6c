import { isPetError } from '@pet-store/domain'
import type { PoolUse } from '@pet-store/persistence'
import { cannotOpen, openPostgresDatabase, type PostgresDatabase } from '../database/database.ts'
import { withRetries } from '../database/retries.ts'
import { type PostgresOptions, poolConfig } from '../database/settings.ts'
import { PipelinedReads } from './pipeline/pipelined-reads.ts'
import { OTHER_DRIVER } from './pipeline/results.ts'
import { poolSizesOf } from './pool-size.ts'
import { poolUse, type RunStatement, runOnPool } from './pool-statements.ts'

/** The connections to a database: a pool for everything, and beside it some for pipelined reads. */
export interface PostgresConnections extends PostgresDatabase {
  /** For statements that read little and are quick; never two that belong together. */
  readonly read: RunStatement
  readonly write: RunStatement
  use(name: string): PoolUse
  /** Resolves when every statement has its result and the connections are closed. */
  close(): Promise<void>
}

/**
 * Opens a database as `openPostgresDatabase` does. Together there are at most `poolSize`
 * connections.
 */
export async function openPostgresConnections(
  options: PostgresOptions,
): Promise<PostgresConnections> {
  const sizes = poolSizesOf(options)
  const database = await openPostgresDatabase({ ...options, poolSize: sizes.pool })
  const { pool, address } = database
  const write = runOnPool(pool, 'unknown')
  if (sizes.readers === 0) {
    const read = runOnPool(pool, 'not_stored')
    return { ...database, read, write, use: (name) => poolUse(name, pool), close: () => pool.end() }
  }

  const reads = new PipelinedReads(poolConfig(options), { connections: sizes.readers })
  const close = async () => {
    await Promise.all([pool.end(), reads.close()])
  }
  try {
    await assertReads(reads)
  } catch (error) {
    await close()
    throw cannotOpen(address, isPetError(error) ? error.cause : error)
  }
  return {
    ...database,
    read: (statement, values) => reads.read(statement, values),
    write,
    use(name) {
      const ofPool = poolUse(name, pool)
      const { open, busy } = reads.use
      return {
        ...ofPool,
        busy: ofPool.busy + busy,
        idle: ofPool.idle + open - busy,
        limit: sizes.total,
      }
    },
    close,
  }
}

/** See `receiveResults`. */
async function assertReads(reads: PipelinedReads): Promise<void> {
  const [row] = await withRetries(() => reads.read({ text: 'select 1::bigint' }))
  if (row?.[0] !== 1n) throw new Error(OTHER_DRIVER)
}
