import { Duplex } from 'node:stream'

/** What the way does to the bytes of one write, in order. */
export interface Piece {
  readonly bytes: Buffer
  readonly delayMs: number
}

/** Splits and delays what is sent. `reset`: the connection breaks instead. */
export type Way = (bytes: Buffer) => readonly Piece[] | 'reset'

/** Sends everything whole, in the next turn of the event loop. */
export const PERFECT_WAY: Way = (bytes) => [{ bytes, delayMs: 0 }]

/** One end of a connection in memory, for what expects a TCP socket. */
export class MemorySocket extends Duplex {
  remoteAddress: string | undefined = '127.0.0.1'
  readonly remotePort = 1
  bytesRead = 0
  bytesWritten = 0
  connecting = false
  /** Called by `connect`: joins it to another end, or destroys it. */
  readonly #onConnect: (socket: MemorySocket, host: string, port: number) => void
  #way: Way = PERFECT_WAY
  #peer: MemorySocket | undefined
  /** What is on its way to the peer; `null` is the end. */
  #onTheWay: { readonly deliver: () => void; readonly at: number }[] = []
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

  /** Joins two ends. `way` is made for each direction. */
  static join(one: MemorySocket, other: MemorySocket, way: () => Way = () => PERFECT_WAY): void {
    one.#peer = other
    other.#peer = one
    one.#way = way()
    other.#way = way()
  }

  connect(port: number, host: string): this {
    this.connecting = true
    this.#onConnect(this, host, port)
    return this
  }

  /** Tells whoever called `connect` that it has worked. */
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

  /** Emits `timeout` when nothing was sent and nothing arrived for so long; 0: never. */
  setTimeout(timeoutMs: number, onTimeout?: () => void): this {
    this.#timeoutMs = timeoutMs
    if (onTimeout !== undefined) this.once('timeout', onTimeout)
    this.#watch()
    return this
  }

  /** Ends it once everything is sent. */
  destroySoon(): void {
    if (this.writable) this.end()
    if (this.writableFinished) this.destroy()
    else this.once('finish', () => this.destroy())
  }

  /** Breaks the connection off. */
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
    const pieces = this.#way(bytes)
    if (pieces === 'reset') {
      done(reset())
      return
    }
    this.bytesWritten += bytes.length
    this.#watch()
    for (const [index, piece] of pieces.entries()) {
      const isLast = index === pieces.length - 1
      this.#send(piece.delayMs, (peer) => peer.#receive(piece.bytes, isLast ? done : () => {}))
    }
  }

  override _final(done: (error?: Error | null) => void): void {
    this.#send(0, (peer) => peer.#receive(null, done))
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    clearTimeout(this.#timer)
    this.remoteAddress = undefined
    const isReset = error !== null || this.#isBrokenOff
    if (isReset) this.#onTheWay = []
    this.#send(0, (peer) => {
      if (isReset) peer.destroy(reset())
      else peer.#receive(null, () => {})
    })
    done(error)
  }

  #send(delayMs: number, deliver: (peer: MemorySocket) => void): void {
    const peer = this.#peer
    if (peer === undefined) return
    const before = this.#onTheWay.at(-1)?.at ?? 0
    const at = Math.max(performance.now() + delayMs, before)
    this.#onTheWay.push({ at, deliver: () => deliver(peer) })
    const arrive = () => this.#onTheWay.shift()?.deliver()
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
