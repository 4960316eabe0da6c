import {
  bytesOf,
  type SqlValue,
  WAITING_LIMITS,
  type WaitingLimits,
  WaitingStatements,
} from '@pet-store/persistence-mikro-orm'
import pg, { type PoolConfig } from 'pg'
import { cannotConnect } from '../database/unavailable.ts'
import type { DriverStatement, Row } from './pool-statements.ts'
import type { PendingRead } from './read-batch.ts'
import { ReadSession, type SessionOptions } from './read-session.ts'

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
 * (PostgreSQL's pipeline mode). Those of one turn of the event loop are one batch. Each statement stands for itself:
 * one that fails fails alone, unless the connection is lost. A slow one delays those of its batch and those behind it,
 * so none may be slow.
 *
 * Opened by the first statement, and again by the next one after it was lost or has reached its lifetime. A read that
 * waits longer than the limit is rejected; the connection is dropped when the server returns nothing for longer than
 * `query_timeout`. One timer checks both for all statements.
 */
export class PipelinedConnection {
  readonly #config: PoolConfig
  readonly #options: SessionOptions
  readonly #maxWaitMs: number
  readonly #waiting: WaitingStatements
  readonly #retired = new Set<ReadSession>()
  #session: ReadSession | undefined
  #opening: Promise<ReadSession> | undefined
  #isClosed = false

  constructor(
    { query_timeout = Number.POSITIVE_INFINITY, ...config }: PoolConfig,
    {
      onUnresponsive = () => {},
      limits = WAITING_LIMITS,
      maxLifetimeMs = MAX_LIFETIME_MS,
    }: PipelinedConnectionOptions = {},
  ) {
    const waiting = new WaitingStatements(limits)
    this.#config = { ...config, pipeline: true }
    this.#maxWaitMs = limits.maxWaitMs
    this.#waiting = waiting
    this.#options = {
      maxLifetimeMs,
      unresponsiveMs: query_timeout,
      onUnresponsive,
      onOld: (session) => this.#retire(session),
      free: (read) => waiting.remove(read.bytes),
    }
  }

  get isOpen(): boolean {
    return this.#session !== undefined
  }

  /** Whether a statement waits for its result. */
  get isBusy(): boolean {
    return this.#session?.isBusy === true
  }

  /** Returns the rows. Rejects with `persistence_unavailable` or the server's own error. */
  read(statement: DriverStatement, values: readonly SqlValue[] = []): Promise<readonly Row[]> {
    if (this.#isClosed) return Promise.reject(new Error('Cannot use a connection after calling end on it.'))
    const bytes = bytesOf(values)
    const reason = this.#waiting.add(bytes)
    if (reason !== undefined) return Promise.reject(reason)
    return new Promise((resolve, reject) => {
      const read: PendingRead = {
        statement,
        values,
        bytes,
        deadline: performance.now() + this.#maxWaitMs,
        resolve,
        reject,
        isDone: false,
        isAlone: false,
        readRow: undefined,
        rows: [],
      }
      if (this.#session !== undefined) {
        this.#session.send(read)
        return
      }
      this.#opening ??= this.#open()
      this.#opening.then(
        (session) => session.send(read),
        (error: unknown) => {
          this.#options.free(read)
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

  async #open(): Promise<ReadSession> {
    const client = new pg.Client(this.#config)
    const session = new ReadSession(client, this.#options)
    client.on('error', () => session.drop())
    client.on('end', () => {
      session.stop()
      this.#retired.delete(session)
      if (this.#session === session) this.#session = undefined
    })
    try {
      await client.connect()
      session.start()
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
  #retire(session: ReadSession): void {
    if (this.#session !== session) return
    this.#session = undefined
    this.#retired.add(session)
    void session.end()
  }
}
