import type { QueryConfig, QueryResult } from 'pg'
import { openPostgresDatabase, type PostgresDatabase } from '../database.ts'
import { type PostgresOptions, poolConfig } from '../settings.ts'
import { PipelinedConnection } from './pipelined-connection.ts'
import { type PoolUse, poolUse } from './pool-use.ts'

/** How many of the connections read. More of them were no faster, and cost the server more. */
const READERS = 2

/** Fewer connections than these are worth more to writers, each of which waits for the disk on one of its own. */
const ENOUGH_TO_SHARE = 4

/** The connections to a database: a pool for all kinds of work, and beside it some that only read, pipelined. */
export interface PostgresConnections extends PostgresDatabase {
  /** For statements that read little and are quick; never two that belong together. */
  read(query: QueryConfig): Promise<QueryResult>
  use(name: string): PoolUse
  /** Waits for what was begun. */
  close(): Promise<void>
}

/** Opens a database as `openPostgresDatabase` does. Together there are no more connections than `poolSize`. */
export async function openPostgresConnections(options: PostgresOptions): Promise<PostgresConnections> {
  const config = poolConfig(options)
  const { max = 0 } = config
  // A pooler shares its connections out by itself.
  const isShared = max < ENOUGH_TO_SHARE || (options.pooler ?? 'none') !== 'none'
  if (isShared) {
    const database = await openPostgresDatabase(options)
    const { pool } = database
    return {
      ...database,
      read: (query) => pool.query(query),
      use: (name) => poolUse(name, pool),
      close: () => pool.end(),
    }
  }
  const database = await openPostgresDatabase({ ...options, poolSize: max - READERS })
  const { pool } = database
  // A server that is silent on one of them may be gone for all.
  const giveUpIdle = () => {
    for (const reader of readers) reader.giveUpIdle()
  }
  const readers = Array.from({ length: READERS }, () => new PipelinedConnection(config, giveUpIdle))
  let turn = 0
  return {
    ...database,
    read(query) {
      turn = (turn + 1) % READERS
      return (readers[turn] as PipelinedConnection).query(query)
    },
    use(name) {
      const open = readers.filter(({ isOpen }) => isOpen)
      const busy = open.filter(({ isBusy }) => isBusy).length
      const ofPool = poolUse(name, pool)
      return { ...ofPool, busy: ofPool.busy + busy, idle: ofPool.idle + open.length - busy, limit: max }
    },
    async close() {
      await Promise.all([pool.end(), ...readers.map((reader) => reader.close())])
    },
  }
}
