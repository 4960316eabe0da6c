import type { PersistenceCapabilities, PersistenceOptions } from '@pet-store/persistence'
import type { PoolConfig } from 'pg'
import { type ClientClass, createClientClass } from './client-class.ts'

/**
 * What is between the program and the server:
 *
 * - `none`: nothing, or a pooler in session mode that passes `statement_timeout` on.
 * - `transaction`: a pooler in transaction mode that supports prepared statements, as PgBouncer
 *   does since 1.21.
 * - `transaction-unprepared`: a pooler in transaction mode that does not.
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
  /** How long a statement may take; 0 for no limit. Default: 5,000. */
  readonly statementTimeoutMs?: number
  /** How long a page of bulk access may take. Default: 60,000; only tests change it. */
  readonly bulkTimeoutMs?: number
  /** How long migrating waits for locks. Default: 60,000; only tests change it. */
  readonly migrationWaitMs?: number
  /** The kind of pooler before the server. Default: `none`. */
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
 * How long a connection is used, so that after a switchover none stays with the old server. Those
 * of migrations, whose statements have no time limit, have no maximum either.
 */
const MAX_LIFETIME_S = 300

/** How connections are opened. */
export interface ConnectionOptions extends PostgresOptions {
  /**
   * The isolation level of single statements. Default: that of the server. Has no effect behind a
   * pooler, which does not pass it on.
   */
  readonly isolation?: 'read committed'
}

/** The options for the driver. */
export type DriverOptions = Omit<PoolConfig, 'Client'> & { readonly Client: ClientClass }

/**
 * The options for the driver. Parameters of the URL, such as `application_name`, replace those set
 * here.
 */
export function poolConfig({
  url,
  poolSize,
  statementTimeoutMs,
  pooler,
  isolation,
}: ConnectionOptions): DriverOptions {
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
    Client: createClientClass(url),
  }
}

/**
 * The time limits of statements. Normally the server ends a statement that takes too long, so that
 * it stops working on it and the connection stays usable. The limit of the driver is a little
 * longer, and is for servers that have stopped responding, as after a failover: the operating
 * system would take a quarter of an hour to notice. Poolers reject the limit of the server, so
 * behind one only the driver ends statements, and each of them costs its connection.
 */
function timeouts(timeoutMs: number, pooler: Pooler = 'none'): PoolConfig {
  if (timeoutMs === 0) return {}
  const common = { maxLifetimeSeconds: MAX_LIFETIME_S }
  if (pooler !== 'none') return { ...common, query_timeout: timeoutMs }
  return { ...common, statement_timeout: timeoutMs, query_timeout: timeoutMs + DRIVER_GRACE_MS }
}
