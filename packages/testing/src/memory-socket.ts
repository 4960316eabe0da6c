import { Duplex } from 'node:stream'

/** A part of the bytes of one write, and how late it arrives. */
export interface Chunk {
  readonly bytes: Buffer
  readonly delayMs: number
}

/**
 * Splits the bytes of one write into chunks, in order, and delays them, or resets the connection.
 */
export type NetworkLink = (bytes: Buffer) => readonly Chunk[] | 'reset'

/** A link that delivers each write whole, in the next turn of the event loop. */
export const PERFECT_LINK: NetworkLink = (bytes) => [{ bytes, delayMs: 0 }]

/** One end of a connection in memory, for code that expects a TCP socket. */
export class MemorySocket extends Duplex {
  remoteAddress: string | undefined = '127.0.0.1'
  readonly remotePort = 1
  bytesRead = 0
  bytesWritten = 0
  connecting = false
  /** Called by `connect`: joins it to another end, or destroys it. */
  readonly #onConnect: (socket: MemorySocket, host: string, port: number) => void
  #link: NetworkLink = PERFECT_LINK
  #peer: MemorySocket | undefined
  /** The chunks, and the end, that have not arrived at the peer yet. */
  #inTransit: { readonly deliver: () => void; readonly at: number }[] = []
  #continueReading: (() => void) | undefined
  #timer: NodeJS.Timeout | undefined
  #timeoutMs = 0
  #isBrokenOff = false
  #hasReceivedEnd = false

  constructor({
    allowHalfOpen = false,
    onConnect = (socket: MemorySocket) => void socket.destroy(new Error('nobody listens')),
  }: {
    allowHalfOpen?: boolean
    onConnect?: (socket: MemorySocket, host: string, port: number) => void
  } = {}) {
    super({ allowHalfOpen })
    this.#onConnect = onConnect
  }

  /** Joins two ends. `link` is called once for each direction. */
  static join(
    one: MemorySocket,
    other: MemorySocket,
    link: () => NetworkLink = () => PERFECT_LINK,
  ): void {
    one.#peer = other
    other.#peer = one
    one.#link = link()
    other.#link = link()
  }

  connect(port: number, host: string): this {
    this.connecting = true
    this.#onConnect(this, host, port)
    return this
  }

  /** Tells the caller of `connect` that it has succeeded. */
  connected(): void {
    if (this.destroyed) return
    this.connecting = false
    this.emit('connect')
  }

  setNoDelay(): this {
    return this
  }

  setKeepAlive(): this {
    return this
  }

  ref(): this {
    return this
  }

  unref(): this {
    return this
  }

  /** Emits `timeout` after this time without a byte sent or received; 0: never. */
  setTimeout(timeoutMs: number, onTimeout?: () => void): this {
    this.#timeoutMs = timeoutMs
    if (onTimeout !== undefined) this.once('timeout', onTimeout)
    this.#watch()
    return this
  }

  /** Destroys the socket once everything is sent. */
  destroySoon(): void {
    if (this.writable) this.end()
    if (this.writableFinished) this.destroy()
    else this.once('finish', () => this.destroy())
  }

  /** Resets the connection. */
  resetAndDestroy(): this {
    this.#isBrokenOff = true
    return this.destroy()
  }

  override _read(): void {
    const next = this.#continueReading
    this.#continueReading = undefined
    next?.()
  }

  override _write(
    bytes: Buffer,
    _encoding: BufferEncoding,
    done: (error?: Error | null) => void,
  ): void {
    const chunks = this.#link(bytes)
    if (chunks === 'reset') {
      done(reset())
      return
    }
    this.bytesWritten += bytes.length
    this.#watch()
    for (const [index, chunk] of chunks.entries()) {
      const isLast = index === chunks.length - 1
      this.#send(chunk.delayMs, (peer) => peer.#receive(chunk.bytes, isLast ? done : () => {}))
    }
  }

  override _final(done: (error?: Error | null) => void): void {
    this.#send(0, (peer) => peer.#receive(null, done))
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    clearTimeout(this.#timer)
    this.remoteAddress = undefined
    const isReset = error !== null || this.#isBrokenOff
    if (isReset) this.#inTransit = []
    this.#send(0, (peer) => {
      if (isReset) peer.destroy(reset())
      else peer.#receive(null, () => {})
    })
    done(error)
  }

  #send(delayMs: number, deliver: (peer: MemorySocket) => void): void {
    const peer = this.#peer
    if (peer === undefined) return
    const before = this.#inTransit.at(-1)?.at ?? 0
    const at = Math.max(performance.now() + delayMs, before)
    this.#inTransit.push({ at, deliver: () => deliver(peer) })
    const arrive = () => this.#inTransit.shift()?.deliver()
    if (at > performance.now()) setTimeout(arrive, at - performance.now())
    else setImmediate(arrive)
  }

  #receive(bytes: Buffer | null, done: (error?: Error | null) => void): void {
    if (this.destroyed || this.#hasReceivedEnd) {
      done(this.destroyed ? reset() : null)
      return
    }
    this.#hasReceivedEnd = bytes === null
    this.bytesRead += bytes?.length ?? 0
    this.#watch()
    const hasRoom = this.push(bytes)
    if (hasRoom || bytes === null) done()
    else this.#continueReading = done
  }

  #watch(): void {
    clearTimeout(this.#timer)
    if (this.#timeoutMs === 0 || this.destroyed) return
    this.#timer = setTimeout(() => this.emit('timeout'), this.#timeoutMs).unref()
  }
}

function reset(): Error {
  return Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' })
}
