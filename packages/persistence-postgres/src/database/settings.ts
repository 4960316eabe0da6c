import type { PersistenceCapabilities, PersistenceOptions } from '@pet-store/persistence'
import type { PoolConfig } from 'pg'

/**
 * What stands between the program and the database:
 * `none`, or a pooler in session mode that passes `statement_timeout` on;
 * `transaction`, a pooler in transaction mode that supports prepared statements, as PgBouncer does
 * since 1.21;
 * `transaction-unprepared`, one that does not.
 */
export const POOLERS = ['none', 'transaction', 'transaction-unprepared'] as const
export type Pooler = (typeof POOLERS)[number]

/**
 * Where a PostgreSQL database is, how to connect to it, and whether opening may migrate it; no
 * mode creates a database.
 */
export interface PostgresOptions extends PersistenceOptions {
  /** The maximum number of connections. Default: 10. */
  readonly poolSize?: number
  /** The maximum time of a statement; 0 for no limit. Default: 5,000. */
  readonly statementTimeoutMs?: number
  /** The maximum time of a page of bulk access. Default: 60,000; only tests set another. */
  readonly bulkTimeoutMs?: number
  /** How long migrating waits for locks. Default: 60,000; only tests set another. */
  readonly migrationWaitMs?: number
  /** Default: `none`. */
  readonly pooler?: Pooler
}

export const postgresCapabilities: PersistenceCapabilities = {
  severalProcesses: true,
  sharedLimits: true,
  bulkAccess: true,
  replicas: true,
}

export const DEFAULT_POOL_SIZE = 10
export const DEFAULT_STATEMENT_TIMEOUT_MS = 5_000

const CONNECT_TIMEOUT_MS = 5_000
/** How much longer the driver waits than the server, which should end a statement first. */
const DRIVER_GRACE_MS = 1_000
/**
 * So that after a switchover no connection stays with the old server. Migrations, which have no
 * limit, keep theirs.
 */
const MAX_LIFETIME_S = 300

/** How connections are opened. */
export interface ConnectionOptions extends PostgresOptions {
  /**
   * How single statements are isolated. Default: what the server does; poolers do not pass it on.
   */
  readonly isolation?: 'read committed'
}

/**
 * The options as the driver takes them. Parameters of the URL, such as `application_name`, replace
 * ours.
 */
export function poolConfig({
  url,
  poolSize,
  statementTimeoutMs,
  pooler,
  isolation,
}: ConnectionOptions): PoolConfig {
  return {
    connectionString: url,
    application_name: 'pet-store',
    max: poolSize ?? DEFAULT_POOL_SIZE,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    keepAlive: true,
    ...(isolation !== undefined &&
      (pooler ?? 'none') === 'none' && {
        options: `-c default_transaction_isolation=${isolation.replace(' ', '\\ ')}`,
      }),
    ...timeouts(statementTimeoutMs ?? DEFAULT_STATEMENT_TIMEOUT_MS, pooler),
  }
}

/**
 * Who ends a statement that takes too long. The server does, so that it stops working on it and the
 * connection stays usable. The driver follows a little later, for servers that have stopped
 * responding, as after a failover: the kernel would take a quarter of an hour to notice. Poolers
 * reject the server's setting, so behind one the driver does it alone, and each statement that it
 * ends costs a connection.
 */
function timeouts(timeoutMs: number, pooler: Pooler = 'none'): PoolConfig {
  if (timeoutMs === 0) return {}
  const common = { maxLifetimeSeconds: MAX_LIFETIME_S }
  if (pooler !== 'none') return { ...common, query_timeout: timeoutMs }
  return { ...common, statement_timeout: timeoutMs, query_timeout: timeoutMs + DRIVER_GRACE_MS }
}
