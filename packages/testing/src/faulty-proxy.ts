import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** A fault of the network, which affects open and new connections. */
export type NetworkFault =
  | 'none'
  /** Each chunk arrives 20 ms late. */
  | 'delay'
  /** Nothing arrives until the fault ends; then everything does. No connection breaks. */
  | 'stall'
  /**
   * Nothing that is sent during the fault ever arrives. New connections are accepted but never
   * served. No connection breaks.
   */
  | 'black-hole'
  /**
   * Every reply is lost: the server executes the request, and the connection breaks before its
   * reply arrives.
   */
  | 'lose-replies'
  /** Some replies are lost in this way. */
  | 'cut-replies'
  /** Some replies arrive damaged. */
  | 'damage-replies'
  /** Some requests arrive damaged: only for connections with TLS, which notice that. */
  | 'damage-requests'
  /** Every connection is reset at once, and so is every new one. */
  | 'reset'

export interface FaultyProxyOptions {
  /** Changes what a client sends; called for each connection. Default: nothing is changed. */
  readonly changeRequests?: () => (data: Buffer) => Buffer
  /** Changes what the server sends; called for each connection. Default: nothing is changed. */
  readonly changeReplies?: () => (data: Buffer) => Buffer
}

export interface FaultyProxy {
  /** The URL of the server through the proxy. */
  readonly url: string
  /** The number of connections that were opened so far. */
  readonly connections: number
  /** Sets the fault from now on. */
  set(fault: NetworkFault): void
  /** Resets every connection; new ones go to the server of this URL. */
  moveTo(url: string): void
  /** Lets nothing more arrive on the open connections, which stay open. New connections work. */
  mute(): void
  /** Accepts no further connections, and resets the open ones. */
  close(): void
}

const DELAY_MS = 20
/**
 * Every chunk of a connection with this number, or a multiple of it, is damaged or lost. The first
 * ones pass, so that a retry succeeds.
 */
const CHUNKS_PER_FAULT = 9

/** Opens a TCP proxy to the server of a URL. */
export async function openFaultyProxy(
  url: string,
  options: FaultyProxyOptions = {},
): Promise<FaultyProxy> {
  let target = new URL(url)
  let fault: NetworkFault = 'none'
  let connections = 0
  const pairs = new Set<Pair>()
  const resetAll = () => {
    for (const pair of pairs) pair.reset()
  }
  const proxy = createServer({ allowHalfOpen: true }, (near) => {
    connections += 1
    if (fault === 'reset') {
      near.on('error', () => {})
      near.resetAndDestroy()
      return
    }
    const far = connect({
      port: Number(target.port || 5432),
      host: target.hostname,
      allowHalfOpen: true,
    })
    const pair = new Pair(near, far, () => fault, {
      request: options.changeRequests?.() ?? unchanged,
      reply: options.changeReplies?.() ?? unchanged,
    })
    pairs.add(pair)
    near.once('close', () => pairs.delete(pair))
  }).listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  const { port } = proxy.address() as AddressInfo
  return {
    url: Object.assign(new URL(url), { hostname: '127.0.0.1', port: String(port) }).href,
    get connections() {
      return connections
    },
    set(next) {
      fault = next
      if (fault === 'reset') resetAll()
      else for (const pair of pairs) pair.release()
    },
    moveTo(other) {
      target = new URL(other)
      resetAll()
    },
    mute() {
      for (const pair of pairs) pair.isMuted = true
    },
    close() {
      proxy.close()
      resetAll()
    },
  }
}

function unchanged(data: Buffer): Buffer {
  return data
}

/** The connection of one client to the proxy (near), and that of the proxy to the server (far). */
class Pair {
  /** If bytes were lost, nothing after them may arrive, because TCP leaves no gaps. */
  isMuted: boolean
  readonly #near: Socket
  readonly #far: Socket
  readonly #fault: () => NetworkFault
  /** The chunks for each side that have not arrived yet, in order; `null` is the end. */
  readonly #held = new Map<Socket, (Buffer | null)[]>()

  constructor(
    near: Socket,
    far: Socket,
    fault: () => NetworkFault,
    change: Readonly<Record<'request' | 'reply', (data: Buffer) => Buffer>>,
  ) {
    this.#near = near
    this.#far = far
    this.#fault = fault
    this.isMuted = fault() === 'black-hole'
    let requests = 0
    let replies = 0
    near.on('data', (chunk) => {
      requests += 1
      this.#carry(
        change.request(chunk),
        far,
        fault() === 'damage-requests' && requests % CHUNKS_PER_FAULT === 0,
      )
    })
    far.on('data', (chunk) => {
      replies += 1
      const isHit = replies % CHUNKS_PER_FAULT === 0
      if (fault() === 'lose-replies' || (fault() === 'cut-replies' && isHit)) this.reset()
      else this.#carry(change.reply(chunk), near, fault() === 'damage-replies' && isHit)
    })
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      one.on('end', () => this.#carry(null, other, false))
      one.on('error', () => other.destroy())
      one.on('close', () => (this.isMuted ? undefined : other.destroy()))
    }
  }

  reset(): void {
    this.#near.resetAndDestroy()
    this.#far.resetAndDestroy()
  }

  /** Sends what is held, unless the connection is stalled. */
  release(): void {
    if (this.#fault() === 'stall' || this.isMuted) return
    for (const [to, chunks] of this.#held) {
      for (const chunk of chunks.splice(0)) {
        if (chunk === null) to.end()
        else if (!to.destroyed) to.write(chunk)
      }
    }
  }

  #carry(chunk: Buffer | null, to: Socket, isDamaged: boolean): void {
    const fault = this.#fault()
    if (fault === 'black-hole') this.isMuted = true
    if (isDamaged && chunk !== null) damage(chunk)
    const chunks = this.#held.get(to)
    if (chunks === undefined) this.#held.set(to, [chunk])
    else chunks.push(chunk)
    if (fault === 'delay') setTimeout(() => this.release(), DELAY_MS)
    else this.release()
  }
}

/**
 * Damages a chunk so that its reader notices: with TLS the protected bytes of a record, without it
 * the type and length of a message. PostgreSQL's messages have no checksum, so other damage would
 * be stored or returned unnoticed.
 */
function damage(chunk: Buffer): void {
  const isTls = chunk[0] === 0x17 && chunk[1] === 0x03
  if (isTls) chunk[chunk.length - 1] = (chunk.at(-1) ?? 0) ^ 0xff
  else chunk.fill(0x7f, 0, Math.min(5, chunk.length))
}
