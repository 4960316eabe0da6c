import type { PoolUse } from '@pet-store/persistence'
import { RunningCalls } from '@pet-store/persistence-mikro-orm'
import type { ClientBase } from 'pg'
import { assertPrimary } from '../database/checks/assert-primary.ts'
import {
  cannotOpen,
  createPostgresDatabase,
  openPostgresDatabase,
  type PostgresDatabase,
} from '../database/database.ts'
import { cannotConnect, isDivided, mayWorkOnAnother } from '../database/failures.ts'
import { withRetries } from '../database/retries.ts'
import { type ConnectionOptions, poolConfig } from '../database/settings.ts'
import { PipelinedReads } from './pipeline/pipelined-reads.ts'
import { OTHER_DRIVER } from './pipeline/results.ts'
import { poolSizesOf } from './pool-size.ts'
import { type AssertClient, poolUse, type RunStatement, runOnPool } from './pool-statements.ts'

/** The connections to a database: a pool for everything, and a few more for pipelined reads. */
interface PostgresConnections {
  /**
   * Runs fast statements that read little, on any connection: two statements that must run on the
   * same one cannot use it.
   */
  readonly read: RunStatement
  readonly write: RunStatement
  /** Rejects if a connection of the pool does not lead to the primary, as reads need it to. */
  readonly assertPrimary: AssertClient
  /** Lets later reads find out again whether they lead to the primary. */
  reconnectReads(): void
  /** Lets reads connect at once after connections that led to a standby. */
  endReadPause(): void
  use(name: string): PoolUse
  /** Resolves when every statement has its result and the connections are closed. */
  close(): Promise<void>
}

/** A database, and the connections to it. */
export type ConnectedDatabase = PostgresDatabase & PostgresConnections

/**
 * Opens a database as `openPostgresDatabase` does, with at most `poolSize` connections in all.
 * Later reads reject while it is a standby, unless `mode` is `read`.
 */
export async function openPostgresConnections(
  options: ConnectionOptions,
): Promise<ConnectedDatabase> {
  const database = await openPostgresDatabase({ ...options, poolSize: poolSizesOf(options).pool })
  const connections = connectionsTo(database, options, options.mode !== 'read')
  try {
    await assertReads(connections)
  } catch (error) {
    await connections.close()
    throw cannotOpen(database.address, error)
  }
  return { ...database, ...connections }
}

/** The same, without opening a connection yet. */
export function createPostgresConnections(options: ConnectionOptions): ConnectedDatabase {
  const database = createPostgresDatabase({ ...options, poolSize: poolSizesOf(options).pool })
  return { ...database, ...connectionsTo(database, options, false) }
}

function connectionsTo(
  { pool }: PostgresDatabase,
  options: ConnectionOptions,
  onPrimaryOnly: boolean,
): PostgresConnections {
  const { readers, total } = poolSizesOf(options)
  const write = runOnPool(pool, 'unknown')
  let assertClient = onPrimaryOnly ? createAssertPrimary() : undefined
  const assertPrimary: AssertClient = (client) => assertClient?.(client)
  const reconnectPool = () => {
    if (onPrimaryOnly) assertClient = createAssertPrimary()
  }
  if (readers === 0) {
    const read = runOnPool(pool, 'not_stored', assertPrimary)
    // A pool that is ending gives no connection to those who wait for one.
    const reads = new RunningCalls()
    return {
      read: (...statement) => reads.track(read(...statement)),
      write,
      assertPrimary,
      reconnectReads: reconnectPool,
      endReadPause() {},
      use: (name) => poolUse(name, pool),
      async close() {
        await reads.finish()
        await pool.end()
      },
    }
  }
  // A pooler gives a connection of the server to another client only once all results of this one
  // were sent, so with more groups under way it might never do so.
  const groupsPerConnection = (options.pooler ?? 'none') === 'none' ? undefined : 1
  const reads = new PipelinedReads(poolConfig(options), {
    connections: readers,
    onPrimaryOnly,
    groupsPerConnection,
  })
  return {
    read: (statement, values) => reads.read(statement, values),
    write,
    assertPrimary,
    reconnectReads() {
      reconnectPool()
      reads.reconnect()
    },
    endReadPause: () => reads.endPause(),
    use(name) {
      const ofPool = poolUse(name, pool)
      const { open, busy, waiting } = reads.use
      return {
        ...ofPool,
        busy: ofPool.busy + busy,
        idle: ofPool.idle + open - busy,
        waiting: ofPool.waiting + waiting,
        limit: total,
      }
    },
    async close() {
      await Promise.all([pool.end(), reads.close()])
    },
  }
}

/** Makes a function that asks each connection once whether it leads to the primary. */
function createAssertPrimary(): AssertClient {
  const known = new WeakSet<ClientBase>()
  return async (client) => {
    if (known.has(client)) return
    await assertPrimary(client).catch((error: unknown) => {
      throw cannotConnect(error)
    })
    known.add(client)
  }
}

/**
 * Throws if this version of the driver does not work with pipelined reads: see `receiveResults`.
 */
async function assertReads({ read }: PostgresConnections): Promise<void> {
  const reading = withRetries(() => read({ text: 'select 1::bigint' }, []))
  const [row] = await reading.catch((error: unknown) => {
    // A standby may become the primary.
    if (mayWorkOnAnother(error) && !isDivided(error)) return [[1n]]
    throw error
  })
  if (row?.[0] !== 1n) throw new Error(OTHER_DRIVER)
}
