import type { PoolConfig } from 'pg'

/**
 * What stands between the program and the database:
 * `none`, or a pooler that keeps a connection for a session and lets `statement_timeout` through at its start;
 * `transaction`, a pooler in transaction mode that knows prepared statements, as PgBouncer does since 1.21;
 * `transaction-unprepared`, one that does not.
 */
export const POOLERS = ['none', 'transaction', 'transaction-unprepared'] as const
export type Pooler = (typeof POOLERS)[number]

/** Where a PostgreSQL database is, how it is talked to, and what opening may do to it. */
export interface PostgresOptions {
  /** `postgres://user:password@host:port/database`; parameters such as `sslmode` go to the driver. */
  readonly url: string
  /** Streaming replicas of the same database, which answer lists. None unless said otherwise. */
  readonly replicaUrls?: readonly string[]
  /** Brings the schema up to date before anything else. Without it, opening an outdated schema is refused. */
  readonly migrate?: boolean
  /** The most connections at once; 10 unless said otherwise. */
  readonly poolSize?: number
  /** How long a statement may take, in milliseconds; 5,000 unless said otherwise. */
  readonly statementTimeout?: number
  /** `none` unless said otherwise. */
  readonly pooler?: Pooler
}

const APPLICATION_NAME = 'pet-store'
const POOL_SIZE = 10
const STATEMENT_TIMEOUT_MS = 5_000
const CONNECT_TIMEOUT_MS = 5_000
const SILENCE_MS = 1_000

/** The options as the driver takes them. What the URL says (an `application_name`, TLS) wins over our choice. */
export function poolConfig({ url, poolSize, statementTimeout, pooler }: PostgresOptions): PoolConfig {
  return {
    connectionString: url,
    application_name: APPLICATION_NAME,
    max: poolSize ?? POOL_SIZE,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    keepAlive: true,
    ...timeouts(statementTimeout ?? STATEMENT_TIMEOUT_MS, pooler),
  }
}

/** Who ends a statement that takes so many milliseconds; 0 is nobody. */
function timeouts(timeout: number, pooler: Pooler = 'none'): PoolConfig {
  if (timeout === 0) return {}
  // A pooler refuses the server's setting, so there the driver stops waiting.
  if (pooler !== 'none') return { query_timeout: timeout }
  // The server goes first, since a statement that it has ended costs no connection. The driver gives up connections on
  // which the server is silent, as after a failover, for the kernel takes a quarter of an hour to do so.
  return { statement_timeout: timeout, query_timeout: timeout + SILENCE_MS }
}

/** Whether statements may stay prepared on the server, under their names. */
export function keepsPrepared({ pooler }: PostgresOptions): boolean {
  return pooler !== 'transaction-unprepared'
}
