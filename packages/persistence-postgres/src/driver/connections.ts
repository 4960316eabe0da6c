import type { PoolUse } from '@pet-store/persistence'
import type { Pool } from 'pg'
import { openPostgresDatabase, type PostgresDatabase } from '../database.ts'
import { DEFAULT_POOL_SIZE, type PostgresOptions, poolConfig } from '../settings.ts'
import { PipelinedConnection } from './pipelined-connection.ts'
import { poolUse, runOnPool } from './pool-statements.ts'
import type { Run, RunWrite } from './statement-runner.ts'

/** The number of connections for reads. More were no faster, and cost the server more. */
const READERS = 2

/** With fewer connections than these, each is worth more to writes, which wait for the disk. */
const MIN_POOL_SIZE_FOR_READERS = 4

/** The connections to a database: a pool for everything, and beside it some for pipelined reads. */
export interface PostgresConnections extends PostgresDatabase {
  /** For statements that read little and are quick; never two that belong together. */
  readonly read: Run
  readonly write: RunWrite
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
      read: runOnPool(pool, false),
      write: runOnPool(pool, true),
      use: (name) => poolUse(name, pool),
      close: () => pool.end(),
    }
  }
  const database = await openPostgresDatabase({ ...options, poolSize: poolSize - READERS })
  const { pool } = database
  const readers = createReaders(options)
  let last = 0
  let isTurnOver = true
  return {
    ...database,
    read(statement, values) {
      // Those of one turn of the event loop share a connection: one large batch costs less than two small ones.
      if (isTurnOver) {
        isTurnOver = false
        last = (last + 1) % READERS
        setImmediate(() => {
          isTurnOver = true
        })
      }
      return (readers[last] as PipelinedConnection).query(statement, values)
    },
    write: runOnPool(pool, true),
    use: (name) => useOf(name, pool, readers, poolSize),
    async close() {
      await Promise.all([pool.end(), ...readers.map((reader) => reader.close())])
    },
  }
}

function createReaders(options: PostgresOptions): readonly PipelinedConnection[] {
  // A server that is unresponsive on one connection may be lost for all.
  const onUnresponsive = () => {
    for (const reader of readers) reader.dropIdle()
  }
  const readers = Array.from(
    { length: READERS },
    () => new PipelinedConnection(poolConfig(options), { onUnresponsive }),
  )
  return readers
}

function useOf(name: string, pool: Pool, readers: readonly PipelinedConnection[], limit: number): PoolUse {
  const open = readers.filter(({ isOpen }) => isOpen)
  const busy = open.filter(({ isBusy }) => isBusy).length
  const ofPool = poolUse(name, pool)
  return { ...ofPool, busy: ofPool.busy + busy, idle: ofPool.idle + open.length - busy, limit }
}
