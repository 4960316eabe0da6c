import pg, { type PoolConfig, type QueryConfig, type QueryResult } from 'pg'
import { cannotConnect, unavailableOr } from '../unavailable.ts'
import { bytesOf, WAITING_LIMITS, type WaitingLimits, WaitingStatements, waitedTooLong } from './waiting-statements.ts'

const TICK_MS = 1_000

/** After this time a connection is replaced, so that after a switchover none stays with the old server. */
const MAX_LIFETIME_MS = 5 * 60_000

export interface PipelinedConnectionOptions {
  /** Called when the server has returned nothing for too long. */
  readonly onUnresponsive?: () => void
  readonly limits?: WaitingLimits
  readonly maxLifetimeMs?: number
}

/**
 * A connection for reads on which statements are sent without waiting for the results of those before them
 * (PostgreSQL's pipeline mode). Those of one turn of the event loop leave in one write. Each statement stands for itself:
 * one that fails fails alone, unless the connection is lost. A slow one delays those behind it, so none may be slow.
 *
 * Opened by the first statement, and again by the next one after it was lost or has reached its lifetime. A read that
 * waits longer than the limit is rejected; the connection is dropped when the server returns nothing for longer than
 * `query_timeout`. One timer checks both for all statements: the driver's own, one for each, keep results from being
 * freed for a while, at a tenth of the time of a list.
 */
export class PipelinedConnection {
  readonly #config: PoolConfig
  readonly #options: Required<PipelinedConnectionOptions> & { readonly unresponsiveMs: number }
  readonly #waiting: WaitingStatements
  readonly #retired = new Set<Session>()
  #session: Session | undefined
  #opening: Promise<Session> | undefined
  #isClosed = false

  constructor(
    { query_timeout = Number.POSITIVE_INFINITY, ...config }: PoolConfig,
    {
      onUnresponsive = () => {},
      limits = WAITING_LIMITS,
      maxLifetimeMs = MAX_LIFETIME_MS,
    }: PipelinedConnectionOptions = {},
  ) {
    this.#config = { ...config, pipeline: true }
    this.#options = { onUnresponsive, limits, maxLifetimeMs, unresponsiveMs: query_timeout }
    this.#waiting = new WaitingStatements(limits)
  }

  get isOpen(): boolean {
    return this.#session !== undefined
  }

  /** Whether a statement waits for its result. */
  get isBusy(): boolean {
    return this.#session?.isBusy === true
  }

  /** Rejects with a `PersistenceUnavailable` or the server's own error. */
  query(query: QueryConfig): Promise<QueryResult> {
    if (this.#isClosed) return Promise.reject(new Error('Cannot use a connection after calling end on it.'))
    const bytes = bytesOf(query.values)
    const reason = this.#waiting.add(bytes)
    if (reason !== undefined) return Promise.reject(reason)
    return new Promise((resolve, reject) => {
      const read: PendingRead = {
        query,
        deadline: performance.now() + this.#options.limits.maxWaitMs,
        isDone: false,
        resolve,
        reject,
        free: () => this.#waiting.remove(bytes),
      }
      if (this.#session !== undefined) {
        this.#session.send(read)
        return
      }
      this.#opening ??= this.#open()
      this.#opening.then(
        (session) => session.send(read),
        (error: unknown) => {
          read.free()
          reject(cannotConnect(error))
        },
      )
    })
  }

  /** Drops the connection if no statement is running on it. */
  dropIdle(): void {
    if (!this.isBusy) this.#session?.drop()
  }

  /** Resolves when every statement has its result and the connection is closed. */
  async close(): Promise<void> {
    this.#isClosed = true
    const session = this.#session ?? (await this.#opening?.catch(() => undefined))
    await Promise.all([session?.end(), ...[...this.#retired].map((retired) => retired.end())])
  }

  async #open(): Promise<Session> {
    const client = new pg.Client(this.#config)
    const session = new Session(client, this.#options, () => this.#retire(session))
    client.on('error', () => session.drop())
    client.on('end', () => {
      session.stop()
      this.#retired.delete(session)
      if (this.#session === session) this.#session = undefined
    })
    try {
      await client.connect()
      this.#session = session
      return session
    } catch (error) {
      session.drop()
      throw error
    } finally {
      this.#opening = undefined
    }
  }

  /** The next statement opens another connection; this one ends after its last result. */
  #retire(session: Session): void {
    if (this.#session !== session) return
    this.#session = undefined
    this.#retired.add(session)
    void session.end()
  }
}

interface PendingRead {
  readonly query: QueryConfig
  readonly deadline: number
  isDone: boolean
  readonly resolve: (result: QueryResult) => void
  readonly reject: (error: unknown) => void
  /** Gives back its place among the waiting statements. */
  readonly free: () => void
}

/** One client of the driver, from its opening to its end. */
class Session {
  readonly #client: pg.Client
  readonly #clock: NodeJS.Timeout
  readonly #prepared = new Set<string>()
  readonly #preparing = new Set<string>()
  /** In the order in which they were sent, which is that of their results. */
  #reads: PendingRead[] = []
  #running = 0
  #results = 0
  #isGathering = false

  constructor(
    client: pg.Client,
    {
      unresponsiveMs,
      maxLifetimeMs,
      onUnresponsive,
    }: {
      readonly unresponsiveMs: number
      readonly maxLifetimeMs: number
      readonly onUnresponsive: () => void
    },
    onOld: () => void,
  ) {
    this.#client = client
    const end = performance.now() + maxLifetimeMs
    let results = 0
    let silentMs = 0
    this.#clock = setInterval(() => {
      silentMs = this.isBusy && this.#results === results ? silentMs + TICK_MS : 0
      results = this.#results
      this.#rejectLate()
      if (performance.now() >= end) onOld()
      if (silentMs <= unresponsiveMs) return
      this.drop()
      onUnresponsive()
    }, TICK_MS).unref()
  }

  get isBusy(): boolean {
    return this.#running > 0
  }

  send(read: PendingRead): void {
    this.#gather()
    this.#reads.push(read)
    this.#running += 1
    const { name } = read.query
    const isPreparing = name !== undefined && this.#preparing.has(name)
    const isFirst = name !== undefined && !isPreparing && !this.#prepared.has(name)
    if (isFirst) this.#preparing.add(name)
    // Until the server has confirmed a name, it is used once: if preparing fails, those behind it would fail too.
    this.#client.query(isPreparing ? withoutName(read.query) : read.query, (error: Error | undefined, result) => {
      if (isFirst) {
        this.#preparing.delete(name)
        if (!error) this.#prepared.add(name)
      }
      this.#running -= 1
      this.#results += 1
      read.free()
      if (!read.isDone) {
        read.isDone = true
        if (error) read.reject(unavailableOr(error, false))
        else read.resolve(result)
      }
      // Removing them one by one would move all others each time.
      if (this.#running === 0) this.#reads = []
      else if (this.#reads.length >= 2 * this.#running + 64) this.#reads = this.#reads.slice(-this.#running)
    })
  }

  /** Ends the connection at once. The driver rejects what is running. */
  drop(): void {
    this.stop()
    this.#client.connection.stream.destroy()
  }

  stop(): void {
    clearInterval(this.#clock)
  }

  async end(): Promise<void> {
    await this.#client.end()
  }

  #rejectLate(): void {
    const now = performance.now()
    for (const read of this.#reads) {
      if (read.deadline > now) return
      if (read.isDone) continue
      read.isDone = true
      read.reject(waitedTooLong())
    }
  }

  /** Holds what is written until this turn of the event loop is over: a write to the network costs more than a statement. */
  #gather(): void {
    if (this.#isGathering) return
    this.#isGathering = true
    const { stream } = this.#client.connection
    stream.cork()
    setImmediate(() => {
      this.#isGathering = false
      stream.uncork()
    })
  }
}

function withoutName({ name: _, ...query }: QueryConfig): QueryConfig {
  return query
}
