import {
  GroupedStatements,
  type GroupOptions,
  type SqlValue,
} from '@pet-store/persistence-mikro-orm'
import { mayWorkOnAnother } from '../../database/failures.ts'
import type { DriverOptions } from '../../database/settings.ts'
import type { Row, StatementText } from '../pool-statements.ts'
import { PipelinedConnection } from './pipelined-connection.ts'
import type { Read, WaitingRead } from './read-batch.ts'

/**
 * The number of groups that a connection may have under way at the same time; later reads wait and
 * form the next group. With more groups each is smaller, and costs both this process and the server
 * more.
 */
const MIN_GROUPS = 2

/**
 * If the round trip to the server is long, there are more groups, so that reads wait for no longer
 * than this time until the next group is sent.
 */
const GROUP_INTERVAL_MS = 1
const MAX_GROUPS = 16

/** The maximum number of reads of a group. */
const MAX_READS = 100

/** How often deadlines are checked. */
const TICK_MS = 250

/**
 * How long a connection is used before it is replaced, so that after a switchover none stays with
 * the old server.
 */
const MAX_LIFETIME_MS = 5 * 60_000

/** For how long no connection is opened after one that led to a standby. */
const STANDBY_PAUSE_MS = 1_000

export interface PipelinedReadOptions extends GroupOptions {
  /** The number of connections. */
  readonly connections: number
  /**
   * The number of groups that each connection may have under way at the same time. Default: two, or
   * up to 16 if the round trip to the server is long.
   */
  readonly groupsPerConnection?: number | undefined
  /** Whether reads of a standby are rejected, which may lack what the primary has. */
  readonly onPrimaryOnly?: boolean
  /** For tests. Default: five minutes. */
  readonly maxLifetimeMs?: number
}

/**
 * Runs reads that share a few connections. The reads of one turn of the event loop are sent
 * together, on the connection with the fewest batches. A read that fails does not affect others,
 * unless the connection is lost. A slow read delays the rest of its group and everything that is
 * sent after it, so no read may be slow.
 *
 * Each read is either in the queue or in a batch of a connection, which settles it at its deadline
 * at the latest.
 */
export class PipelinedReads {
  readonly #config: DriverOptions
  readonly #isToPrimary: boolean
  readonly #maxLifetimeMs: number
  readonly #groupsPerConnection: number | undefined
  readonly #queue: GroupedStatements<Read, readonly Row[]>
  /** The connections in use; `undefined` if none is open or being opened. */
  readonly #current: (OpenConnection | undefined)[]
  /** Every open connection, replaced ones that still wait for results included. */
  readonly #open = new Set<PipelinedConnection>()
  readonly #clock: NodeJS.Timeout
  #last = 0
  #isClosed = false

  constructor(
    { query_timeout = Number.POSITIVE_INFINITY, ...config }: DriverOptions,
    {
      connections,
      groupsPerConnection,
      onPrimaryOnly = false,
      maxLifetimeMs = MAX_LIFETIME_MS,
      ...limits
    }: PipelinedReadOptions,
  ) {
    this.#config = config
    this.#isToPrimary = onPrimaryOnly
    this.#maxLifetimeMs = maxLifetimeMs
    this.#groupsPerConnection = groupsPerConnection
    this.#current = new Array(connections).fill(undefined)
    const maxGroups = connections * (groupsPerConnection ?? MIN_GROUPS)
    const options = { maxGroupSize: MAX_READS, maxGroups, ...limits }
    this.#queue = new GroupedStatements((take) => this.#sendGroup(take), options)
    // One timer for all reads: a timer for each batch, as the driver has, would make a get 15% more
    // expensive.
    this.#clock = setInterval(() => {
      for (const connection of this.#open) connection.rejectLate(query_timeout)
    }, TICK_MS).unref()
  }

  /** Returns the rows. Rejects with `persistence_unavailable` or the server's own error. */
  read(statement: StatementText, values: readonly SqlValue[] = []): Promise<readonly Row[]> {
    if (this.#isClosed)
      return Promise.reject(new Error('Cannot use a connection after calling end on it.'))
    return this.#queue.add({ statement, values, readRow: undefined, rows: [] }, values)
  }

  /** The numbers of open connections, of those that wait for results, and of reads not sent yet. */
  get use(): { readonly open: number; readonly busy: number; readonly waiting: number } {
    const open = [...this.#open]
    const busy = open.filter(({ isBusy }) => isBusy).length
    return { open: open.length, busy, waiting: this.#queue.waiting }
  }

  /** Opens new connections for later reads, which may lead to another server. */
  reconnect(): void {
    for (const current of this.#current) if (current !== undefined) current.endsAt = 0
  }

  /** Lets reads try again at once whether they lead to the primary now. */
  endPause(): void {
    for (const current of this.#current) if (current?.isStandby === true) current.endsAt = 0
  }

  /** Resolves when every read has its result and the connections are closed. */
  async close(): Promise<void> {
    this.#isClosed = true
    await this.#queue.finish()
    clearInterval(this.#clock)
    await Promise.all([...this.#open].map((connection) => connection.close()))
  }

  async #sendGroup(take: () => readonly WaitingRead[]): Promise<void> {
    const connection = await this.#connected(this.#nextPosition())
    const reads = take()
    if (reads.length > 0) await connection.send(reads)
    const groups = this.#groupsPerConnection ?? groupsFor(connection.roundTripMs)
    this.#queue.maxGroups = this.#current.length * groups
  }

  /** The position of the connection with the fewest batches; of several such, the next in turn. */
  #nextPosition(): number {
    const count = this.#current.length
    let best = (this.#last + 1) % count
    for (let step = 2; step <= count; step += 1) {
      const position = (this.#last + step) % count
      if (this.#batchesAt(position) < this.#batchesAt(best)) best = position
    }
    this.#last = best
    return best
  }

  #batchesAt(position: number): number {
    return this.#current[position]?.connection?.batches ?? 0
  }

  #connected(position: number): Promise<PipelinedConnection> {
    const current = this.#current[position]
    if (current !== undefined && !isToBeReplaced(current)) return current.opening
    // A connection that is replaced is closed once all of its reads have results.
    void current?.opening.then((connection) => connection.close()).catch(() => {})
    return this.#openAt(position)
  }

  #openAt(position: number): Promise<PipelinedConnection> {
    const onEnd = () => {
      this.#open.delete(connection)
      if (this.#isClosed || this.#current[position] !== opened) return
      this.#current[position] = undefined
      // If the server is lost, other connections may be lost too: idle ones are opened again.
      for (const other of this.#open) if (!other.isBusy) other.drop()
    }
    const connection = new PipelinedConnection({
      config: this.#config,
      isToPrimary: this.#isToPrimary,
      onEnd,
    })
    const opening = connection.open().then(() => {
      opened.connection = connection
      this.#open.add(connection)
      return connection
    })
    const opened: OpenConnection = { endsAt: performance.now() + this.#maxLifetimeMs, opening }
    this.#current[position] = opened
    opening.catch((error: unknown) => {
      if (!mayWorkOnAnother(error) || this.#current[position] !== undefined) return
      // Each group of reads would open a connection to the same standby.
      const endsAt = performance.now() + STANDBY_PAUSE_MS
      this.#current[position] = { endsAt, opening, isStandby: true }
    })
    return opening
  }
}

function groupsFor(roundTripMs: number): number {
  if (roundTripMs === Number.POSITIVE_INFINITY) return MIN_GROUPS
  return Math.min(MAX_GROUPS, Math.max(MIN_GROUPS, Math.ceil(roundTripMs / GROUP_INTERVAL_MS)))
}

function isToBeReplaced({ endsAt, connection }: OpenConnection): boolean {
  return performance.now() >= endsAt || connection?.mustBeReplaced === true
}

interface OpenConnection {
  endsAt: number
  readonly opening: Promise<PipelinedConnection>
  /** Absent until the connection is open. */
  connection?: PipelinedConnection
  /** Whether it could not be opened because it leads to a standby. */
  readonly isStandby?: true
}
