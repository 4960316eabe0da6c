import type { ApiKeyRepository, CreateRateLimiter } from '@pet-store/access'
import type { PetRepository } from '@pet-store/domain'

/**
 * An open persistence adapter, as the service uses it. The caller that opened it closes it.
 *
 * Where a type says promise, in the ports too, a function returns a promise and does not throw. No
 * other object with `then` will do: callers may wait for a result more than once, and a query of a
 * builder may then be sent again.
 *
 * No call is rejected because the clock of this machine is set.
 *
 * An adapter fulfils this contract when it passes `adapterContract` from
 * `@pet-store/persistence-testing`.
 */
export interface Persistence {
  readonly pets: PetRepository
  /** Absent in an adapter that stores no API keys: then only the keys of the settings are valid. */
  readonly apiKeys?: ApiKeyRepository
  /**
   * Absent in an adapter that cannot count for several processes: then each process counts for
   * itself.
   */
  readonly createRateLimiter?: CreateRateLimiter
  /**
   * Resolves when the database works, rejects with the reason when it does not. Called often, so it
   * must be cheap.
   */
  check(): Promise<void>
  /**
   * Whether the schema has every migration that this program knows, even if it has others, of a
   * newer version: during a deployment two versions use it. It had them on opening, but may have
   * been restored to an older state since. Called often. While the database is unavailable it
   * does not return `false`: it rejects, or returns its last result. Absent where there are no
   * migrations.
   */
  isMigrated?(): Promise<boolean>
  /**
   * Why nodes of `replicaUrls` serve no reads at present: a sentence for each, which names it. The
   * others serve reads, or will in a few seconds. Absent in an adapter without replicas.
   */
  replicaProblems?(): Promise<readonly string[]>
  /**
   * The time by the clock of the database, in milliseconds; absent if that is the clock of this
   * machine. While the database is unavailable it rejects within a few seconds.
   */
  readClock?(): Promise<Date>
  /**
   * The use of each connection pool at present, and how many statements wait for it: what has ended
   * or failed is not counted. Absent in an adapter where none wait. Must not query the database.
   */
  poolUse?(): readonly PoolUse[]
  /**
   * Finishes every call that was begun, reads too, then releases everything, but nothing of another
   * opening, which may begin meanwhile. No function is called afterwards. Even while the database
   * is unavailable it resolves or rejects, within 30 seconds: when the calls have ended it may wait
   * for a connection once more.
   */
  close(): Promise<void>
}

/** Which migrations a database has and lacks. */
export interface MigrationState {
  /** `empty` if none was ever run; there may be tables of other programs. */
  readonly database: 'missing' | 'empty' | 'migrated'
  /** The names of the migrations that migrating would run, in their order. */
  readonly pending: readonly string[]
  /** The names of migrations that this version does not know. */
  readonly newer: readonly string[]
  /**
   * Why the pending ones cannot run, such as a right that the user of the database lacks; absent
   * where no reason is known.
   */
  readonly obstacle?: string
}

/** The use of one connection pool. */
export interface PoolUse {
  /** Which server of the adapter it is for, such as `primary`. */
  readonly name: string
  readonly busy: number
  readonly idle: number
  /** The number of statements that wait for a connection, or for earlier statements. */
  readonly waiting: number
  /** How many may wait; absent if the adapter has no such limit. */
  readonly waitingLimit?: number | undefined
  /** The maximum number of connections. */
  readonly limit: number
}

/**
 * What opening may change, and what the caller will do:
 *
 * - `migrate`: opening creates what is missing and brings an outdated schema up to date.
 * - `write`: opening changes nothing. It rejects, and says what to do, if the database is missing
 *   or its schema is outdated. A schema is not outdated because a newer version has migrated it.
 * - `read`: the same, and the caller only reads.
 */
export type OpenMode = 'read' | 'write' | 'migrate'

/** How an adapter is opened. */
export interface PersistenceOptions {
  /** The setting `DATABASE_URL` as it is; its meaning is up to the adapter. */
  readonly url: string
  /** What opening may change. Default: `write`. */
  readonly mode?: OpenMode
  /**
   * Nodes that serve reads, from `DATABASE_REPLICA_URLS`. One that cannot be reached, or is no copy
   * of this database, serves none, and opening resolves without it. No read rejects because a node
   * fails. Given only to an adapter that declares `replicas`. Default: none.
   */
  readonly replicaUrls?: readonly string[]
  /**
   * Called when work has failed for which no call waits, such as deleting expired idempotency keys.
   * The adapter tries again later. Default: failures are ignored.
   */
  readonly onBackgroundFailure?: (error: unknown) => void
  /** Called for statements: see `OnStatement`. Default: none is reported. */
  readonly onStatement?: OnStatement
}

/**
 * Called when a statement of the ports of pets, API keys and limits begins to run or to wait, in
 * the asynchronous context of the call that needs the statement; others may be reported too. An
 * adapter whose statements are not requests, as those of SQLite, may report none. If it returns a
 * function, that is called when the statement has its result, with the error if there is one.
 *
 * A statement that is sent again, as after a conflict, is reported once, until the result of the
 * last attempt, or once for each attempt. One that is sent to another server instead is reported
 * for each server.
 */
export type OnStatement = (
  /**
   * Its name, of which there are few, such as `pet_find`, and its text if it has one, with
   * placeholders for the values.
   */
  statement: { readonly name: string; readonly sql?: string },
  server: DatabaseServer,
) => ((error?: unknown) => void) | undefined

/** Where a statement runs. A part that a database does not have is absent. */
export interface DatabaseServer {
  /** As OpenTelemetry names it, such as `postgresql`. */
  readonly system: string
  readonly host?: string
  readonly port?: number
  /** The name of the database. */
  readonly database?: string
}

/** What an adapter can do beyond the ports. A persistence module exports it as `capabilities`. */
export interface PersistenceCapabilities {
  /**
   * Whether several processes may have a database open at the same time. If not, opening rejects
   * while another process, or this one, has it open; in the mode `read` it may resolve, and then
   * read what was stored at that moment.
   */
  readonly severalProcesses: boolean
  /**
   * Whether rate limits are counted for all processes together, by the clock of the database: an
   * open adapter has `createRateLimiter`.
   */
  readonly sharedLimits: boolean
  /** Whether there is bulk access: the module exports `openBulkAccess`. */
  readonly bulkAccess: boolean
  /** Whether other nodes can serve reads: opening accepts `replicaUrls`. */
  readonly replicas: boolean
}

/**
 * Opens an adapter and resolves once it works. If it rejects, nothing is left open. The default
 * export of a persistence module.
 */
export type OpenPersistence = (options: PersistenceOptions) => Promise<Persistence>
