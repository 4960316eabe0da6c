import { isPetError } from '@pet-store/domain'
import type { PoolUse } from '@pet-store/persistence'
import { cannotOpen, openPostgresDatabase, type PostgresDatabase } from '../database/database.ts'
import { withRetries } from '../database/failures.ts'
import { DEFAULT_POOL_SIZE, type PostgresOptions, poolConfig } from '../database/settings.ts'
import { PipelinedConnection } from './pipelined-connection.ts'
import { poolUse, type Run, runOnPool } from './pool-statements.ts'
import { OTHER_DRIVER } from './results.ts'

/** The number of connections for reads. More were no faster, and cost the server more. */
const READERS = 2

/** With fewer connections than these, each is worth more to writes, which wait for the disk. */
const MIN_POOL_SIZE_FOR_READERS = 4

/** The connections to a database: a pool for everything, and beside it some for pipelined reads. */
export interface PostgresConnections extends PostgresDatabase {
  /** For statements that read little and are quick; never two that belong together. */
  readonly read: Run
  readonly write: Run
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
  const { poolSize = DEFAULT_POOL_SIZE, pooler = 'none' } = options
  // A pooler distributes its connections itself.
  const hasReaders = poolSize >= MIN_POOL_SIZE_FOR_READERS && pooler === 'none'
  const database = await openPostgresDatabase({
    ...options,
    poolSize: hasReaders ? poolSize - READERS : poolSize,
  })
  const { pool } = database
  // A server that is lost on one connection may be lost for all.
  const onLost = () => {
    for (const reader of readers) reader.dropIdle()
  }
  const readers = Array.from(
    { length: hasReaders ? READERS : 0 },
    () => new PipelinedConnection(poolConfig(options), { onLost }),
  )
  const close = async () => {
    await Promise.all([pool.end(), ...readers.map((reader) => reader.close())])
  }
  try {
    await Promise.all(readers.map(assertReads))
  } catch (error) {
    await close()
    throw cannotOpen(database.address, isPetError(error) ? error.cause : error)
  }
  return {
    ...database,
    read: hasReaders ? inTurns(readers) : runOnPool(pool, 'not_stored'),
    write: runOnPool(pool, 'unknown'),
    use(name) {
      const open = readers.filter(({ isOpen }) => isOpen)
      const busy = open.filter(({ isBusy }) => isBusy).length
      const ofPool = poolUse(name, pool)
      return {
        ...ofPool,
        busy: ofPool.busy + busy,
        idle: ofPool.idle + open.length - busy,
        limit: poolSize,
      }
    },
    close,
  }
}

/** See `receiveResults`. */
async function assertReads(reader: PipelinedConnection): Promise<void> {
  const [row] = await withRetries(() => reader.read({ text: 'select 1::bigint' }))
  if (row?.[0] !== 1n) throw new Error(OTHER_DRIVER)
}

/**
 * Reads of one turn of the event loop share a connection: one large batch costs less than two small
 * ones.
 */
function inTurns(readers: readonly PipelinedConnection[]): Run {
  let last = 0
  let isTurnOver = true
  return (statement, values) => {
    if (isTurnOver) {
      isTurnOver = false
      last = (last + 1) % readers.length
      setImmediate(() => {
        isTurnOver = true
      })
    }
    return (readers[last] as PipelinedConnection).read(statement, values)
  }
}
