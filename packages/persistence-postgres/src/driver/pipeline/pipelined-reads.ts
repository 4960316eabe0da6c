import {
  GroupedStatements,
  type GroupOptions,
  type SqlValue,
} from '@pet-store/persistence-mikro-orm'
import type { PoolConfig } from 'pg'
import type { Row, StatementText } from '../pool-statements.ts'
import { PipelinedConnection } from './pipelined-connection.ts'
import type { Read, WaitingRead } from './read-batch.ts'

/**
 * The number of groups that each connection has sent at the same time; later reads wait together
 * for the next one. More of them are smaller, and cost both sides more.
 */
const MIN_GROUPS = 2

/** On a long way to the server as many more as reads wait no longer than this for the next one. */
const GROUP_INTERVAL_MS = 1
const MAX_GROUPS = 16

/** The number of reads of a group. */
const MAX_READS = 100

const TICK_MS = 250

/**
 * After this time a connection is replaced, so that after a switchover none stays with the old
 * server.
 */
const MAX_LIFETIME_MS = 5 * 60_000

export interface PipelinedReadOptions extends GroupOptions {
  /** The number of connections. */
  readonly connections: number
  /**
   * The number of groups that each connection has sent at the same time. Default: two, and on a
   * long way to the server up to 16.
   */
  readonly groupsPerConnection?: number | undefined
  /** For tests. Default: five minutes. */
  readonly maxLifetimeMs?: number
}

/**
 * Reads that share a few connections. The reads of one turn of the event loop are sent together, on
 * the connection that has the least to do. A read that fails fails alone, unless the connection is
 * lost. A slow read delays the rest of its group and everything sent after it, so none may be slow.
 *
 * A read is in one place at a time: it waits in the queue, or it is in a batch of a connection.
 * Either of them settles it, at its deadline at the latest.
 */
export class PipelinedReads {
  readonly #config: PoolConfig
  readonly #maxLifetimeMs: number
  readonly #groupsPerConnection: number | undefined
  readonly #queue: GroupedStatements<Read, readonly Row[]>
  /** Undefined where no connection is open, and none is being opened. */
  readonly #current: (OpenConnection | undefined)[]
  /** Includes replaced connections that still owe results. */
  readonly #open = new Set<PipelinedConnection>()
  readonly #clock: NodeJS.Timeout
  #last = 0
  #isClosed = false

  constructor(
    { query_timeout = Number.POSITIVE_INFINITY, ...config }: PoolConfig,
    {
      connections,
      groupsPerConnection,
      maxLifetimeMs = MAX_LIFETIME_MS,
      ...limits
    }: PipelinedReadOptions,
  ) {
    this.#config = config
    this.#maxLifetimeMs = maxLifetimeMs
    this.#groupsPerConnection = groupsPerConnection
    this.#current = new Array(connections).fill(undefined)
    const maxGroups = connections * (groupsPerConnection ?? MIN_GROUPS)
    const options = { maxGroupSize: MAX_READS, maxGroups, ...limits }
    this.#queue = new GroupedStatements((take) => this.#sendGroup(take), options)
    // One timer for all of them: the driver's, one for each batch, made a get 15% dearer.
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

  /** How many connections are open, how many wait for results, and how many reads are unsent. */
  get use(): { readonly open: number; readonly busy: number; readonly waiting: number } {
    const open = [...this.#open]
    const busy = open.filter(({ isBusy }) => isBusy).length
    return { open: open.length, busy, waiting: this.#queue.waiting }
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

  /** The position of the connection with the fewest batches; of equals the next one. */
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
    if (current !== undefined && performance.now() < current.endsAt) return current.opening
    // The one that has reached its lifetime still returns the results of what was sent.
    void current?.opening.then((connection) => connection.close()).catch(() => {})
    return this.#openAt(position)
  }

  #openAt(position: number): Promise<PipelinedConnection> {
    const connection = new PipelinedConnection(this.#config, () => {
      this.#open.delete(connection)
      if (this.#isClosed || this.#current[position] !== opened) return
      this.#current[position] = undefined
      // A server that is lost on one connection may be lost for all.
      for (const other of this.#open) if (!other.isBusy) other.drop()
    })
    const opening = connection.open().then(() => {
      opened.connection = connection
      this.#open.add(connection)
      return connection
    })
    const opened: OpenConnection = { endsAt: performance.now() + this.#maxLifetimeMs, opening }
    this.#current[position] = opened
    return opening
  }
}

function groupsFor(roundTripMs: number): number {
  if (roundTripMs === Number.POSITIVE_INFINITY) return MIN_GROUPS
  return Math.min(MAX_GROUPS, Math.max(MIN_GROUPS, Math.ceil(roundTripMs / GROUP_INTERVAL_MS)))
}

interface OpenConnection {
  readonly endsAt: number
  readonly opening: Promise<PipelinedConnection>
  /** Once it is open. */
  connection?: PipelinedConnection
}
