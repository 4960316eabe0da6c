import pg, { type ClientConfig, type QueryConfig, type QueryResult } from 'pg'

/**
 * A connection on which statements go out without waiting for the answers to those before them (PostgreSQL's pipeline
 * mode). Those of one turn of the event loop leave in one write. Each statement stands for itself: one that fails takes
 * no other along, except where the connection is lost. A slow one holds up those behind it, so none may be slow.
 *
 * Opened by the first statement, and again by the first one after it was lost.
 */
export class PipelinedConnection {
  readonly #config: ClientConfig
  #client: pg.Client | undefined
  #opening: Promise<pg.Client> | undefined
  #isGathering = false
  #underWay = 0
  #isClosed = false

  constructor(config: ClientConfig) {
    this.#config = { ...config, pipeline: true }
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

  /** Waits for what was begun. */
  async close(): Promise<void> {
    this.#isClosed = true
    const client = this.#client ?? (await this.#opening?.catch(() => undefined))
    await client?.end()
  }

  async #open(): Promise<pg.Client> {
    const client = new pg.Client(this.#config)
    const forget = () => {
      if (this.#client === client) this.#client = undefined
    }
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

  #send(client: pg.Client, query: QueryConfig): Promise<QueryResult> {
    this.#gather(client)
    return new Promise((resolve, reject) => {
      this.#underWay += 1
      client.query(query, (error: Error | undefined, result) => {
        this.#underWay -= 1
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
