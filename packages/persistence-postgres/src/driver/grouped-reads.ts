import { bytesOf } from '@pet-store/persistence-mikro-orm'
import type { Client, ClientBase, Pool } from 'pg'
import { isUsableAfter, unavailableOr } from '../database/unavailable.ts'
import { GroupedStatements } from './grouped-statements.ts'
import { onConnection, type Row, type Run } from './pool-statements.ts'
import { type Read, ReadBatch } from './read-batch.ts'
import type { ReadRow } from './row-reader.ts'
import { OTHER_DRIVER, receiveResults } from './wire.ts'

/** The number of reads of a group. */
const MAX_READS = 100

/** Reads that are sent together. */
export interface GroupedReads {
  /** Rejects with `persistence_unavailable` or the server's own error. One that fails fails alone, unless the connection is lost. */
  readonly read: Run
  /** Resolves when every read has its result. */
  finish(): Promise<void>
}

/**
 * Sends the reads of one turn of the event loop together, on a connection of a pool that has no other statements. A slow
 * one delays those of its group, so none may be slow. A connection on which the server takes longer than `timeoutMs` for a
 * group is dropped.
 */
export function createGroupedReads(pool: Pool, timeoutMs?: number): GroupedReads {
  const connections = new WeakMap<ClientBase, ReadConnection>()

  function connectionOf(client: ClientBase): ReadConnection {
    // The type of a pool's client hides that it is a client like any other.
    const known = connections.get(client) ?? new ReadConnection(client as Client, timeoutMs)
    connections.set(client, known)
    return known
  }

  const groups = new GroupedStatements<Read, readonly Row[]>({
    onConnection: (work) => onConnection(pool, (client) => work((reads) => connectionOf(client).run(reads))),
    mayRunAgain: isUsableAfter,
    maxItems: MAX_READS,
    maxGroups: pool.options.max,
  })
  return {
    read: (statement, values) => groups.add({ statement, values }, bytesOf(values)),
    finish: () => groups.finish(),
  }
}

/** Rejects if the driver works in another way than reading its connection needs; see `receiveResults`. */
export async function assertReads({ read }: GroupedReads): Promise<void> {
  const [row] = await read({ text: 'select 1::bigint' }, [])
  if (row?.[0] !== 1n) throw new Error(OTHER_DRIVER)
}

/** A client of the driver whose rows are read here. */
class ReadConnection {
  readonly #client: Client
  /** The statements that are prepared on it. */
  readonly #prepared = new Map<string, ReadRow>()
  #batch: ReadBatch | undefined
  /** One for all batches. Those that the driver makes for `query_timeout` keep the rows of each until the next full collection. */
  #timer: NodeJS.Timeout | undefined

  constructor(client: Client, timeoutMs: number | undefined) {
    this.#client = client
    receiveResults(client, {
      onRow: (bytes, start) => this.#batch?.onRow(bytes, start),
      onComplete: () => this.#batch?.onComplete(),
    })
    if (timeoutMs === undefined) return
    this.#timer = setTimeout(() => {
      if (this.#batch !== undefined) client.connection.stream.destroy()
    }, timeoutMs).unref()
  }

  run(reads: readonly Read[]): Promise<readonly (readonly Row[])[]> {
    return new Promise((resolve, reject) => {
      const batch = new ReadBatch(reads, this.#prepared, (error) => {
        this.#batch = undefined
        if (error === undefined) resolve(batch.rows)
        else reject(unavailableOr(error))
      })
      this.#batch = batch
      this.#timer?.refresh()
      this.#client.query(batch)
    })
  }
}
