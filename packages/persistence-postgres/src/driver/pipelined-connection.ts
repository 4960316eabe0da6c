import pg, { type PoolConfig, type QueryConfig, type QueryResult } from 'pg'

const SECOND_MS = 1_000

/**
 * A connection on which statements go out without waiting for the answers to those before them (PostgreSQL's pipeline
 * mode). Those of one turn of the event loop leave in one write. Each statement stands for itself: one that fails takes
 * no other along, except where the connection is lost. A slow one holds up those behind it, so none may be slow.
 *
 * Opened by the first statement, and again by the first one after it was lost. Given up where the server is silent for
 * longer than `query_timeout`: one clock for all statements, because the driver's own, a timer for each, keeps what has
 * been answered from being freed for a while, at a tenth of the time of a list.
 */
export class PipelinedConnection {
  readonly #config: PoolConfig
  readonly #patience: number
  readonly #onSilence: () => void
  #client: pg.Client | undefined
  #opening: Promise<pg.Client> | undefined
  #isGathering = false
  #underWay = 0
  #answered = 0
  #isClosed = false

  /** `onSilence` is told when the server has been silent for too long. */
  constructor({ query_timeout = Number.POSITIVE_INFINITY, ...config }: PoolConfig, onSilence: () => void = () => {}) {
    this.#config = { ...config, pipeline: true }
    this.#patience = query_timeout
    this.#onSilence = onSilence
  }

  get isOpen(): boolean {
    return this.#client !== undefined
  }

  /** Whether a statement waits for its answer. */
  get isBusy(): boolean {
    return this.#underWay > 0
  }

  query(query: QueryConfig): Promise<QueryResult> {
    if (this.#isClosed) return Promise.reject(new Error('Cannot use a connection after calling end on it.'))
    if (this.#client !== undefined) return this.#send(this.#client, query)
    this.#opening ??= this.#open()
    return this.#opening.then((client) => this.#send(client, query))
  }

  /** Gives the connection up where no statement is under way. */
  giveUpIdle(): void {
    if (!this.isBusy) this.#client?.connection.stream.destroy()
  }

  /** Waits for what was begun. */
  async close(): Promise<void> {
    this.#isClosed = true
    const client = this.#client ?? (await this.#opening?.catch(() => undefined))
    await client?.end()
  }

  async #open(): Promise<pg.Client> {
    const client = new pg.Client(this.#config)
    const forget = () => {
      clearInterval(clock)
      if (this.#client === client) this.#client = undefined
    }
    const clock = setInterval(this.#watch(client), SECOND_MS).unref()
    // The driver rejects what is under way, and the next statement opens another connection.
    client.on('error', forget)
    client.on('end', forget)
    try {
      await client.connect()
      this.#client = client
      return client
    } finally {
      this.#opening = undefined
    }
  }

  /** Looks every second whether the server still answers. Breaking the connection off rejects what is under way. */
  #watch(client: pg.Client): () => void {
    let answered = 0
    let silence = 0
    return () => {
      silence = this.#underWay > 0 && this.#answered === answered ? silence + SECOND_MS : 0
      answered = this.#answered
      if (silence <= this.#patience) return
      client.connection.stream.destroy()
      this.#onSilence()
    }
  }

  #send(client: pg.Client, query: QueryConfig): Promise<QueryResult> {
    this.#gather(client)
    return new Promise((resolve, reject) => {
      this.#underWay += 1
      client.query(query, (error: Error | undefined, result) => {
        this.#underWay -= 1
        this.#answered += 1
        if (error) reject(error)
        else resolve(result)
      })
    })
  }

  /** Holds what is written until this turn of the event loop is over: a write to the network costs more than a statement. */
  #gather(client: pg.Client): void {
    if (this.#isGathering) return
    this.#isGathering = true
    const { stream } = client.connection
    stream.cork()
    setImmediate(() => {
      this.#isGathering = false
      stream.uncork()
    })
  }
}
