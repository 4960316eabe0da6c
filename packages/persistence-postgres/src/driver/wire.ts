import type { Client } from 'pg'

const BIND_COMPLETE = 0x32
const COMMAND_COMPLETE = 0x43
const DATA_ROW = 0x44
/** The type of a message, and its length, which counts itself but not the type. */
const HEADER_BYTES = 5

/** Receives the results of statements, in the order in which these were sent. */
export interface ResultReceiver {
  /** A row starts at this position, with the number of its columns. */
  onRow(bytes: Buffer, start: number): void
  onComplete(): void
}

/**
 * Reads the rows that arrive on a connected client, and passes every other message on to the driver, whose own way through
 * a row makes a text of each column, three more objects and two events. docs/decisions/0033-hot-path.md
 *
 * This is the one place that depends on more than pg documents: that `connection.stream` is read by one listener, and, in
 * `read-batch.ts`, that a query is an object with `submit` and methods that begin with `handle`. `connections.ts` reads a
 * row at the start, and ends it with one sentence when that has changed.
 */
export function receiveResults({ connection: { stream } }: Client, receiver: ResultReceiver): void {
  const [driver, ...others] = stream.listeners('data') as ((bytes: Buffer) => void)[]
  if (driver === undefined || others.length > 0) throw new Error(OTHER_DRIVER)
  let rest: Buffer | undefined

  function read(chunk: Buffer): void {
    const bytes = rest === undefined ? chunk : Buffer.concat([rest, chunk])
    let start = 0
    while (start + HEADER_BYTES <= bytes.length) {
      const end = start + 1 + bytes.readUInt32BE(start + 1)
      if (end > bytes.length) break
      const type = bytes[start]
      if (type === DATA_ROW) receiver.onRow(bytes, start + HEADER_BYTES)
      else if (type === COMMAND_COMPLETE) receiver.onComplete()
      else if (type !== BIND_COMPLETE) driver?.(bytes.subarray(start, end))
      start = end
    }
    rest = start === bytes.length ? undefined : bytes.subarray(start)
  }

  stream.off('data', driver).on('data', (chunk: Buffer) => {
    try {
      read(chunk)
    } catch (error) {
      stream.destroy(error as Error)
    }
  })
}

export const OTHER_DRIVER =
  'this version of pg works in another way than pipelined reads need; install the one of the lockfile'
