import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'

/** What the network does to each connection, old and new. */
export type NetworkFault =
  | 'none'
  /** Each chunk arrives 20 ms late. */
  | 'delay'
  /** Nothing arrives any more; no connection breaks. Later on everything arrives. */
  | 'stall'
  /** What was sent during the fault never arrives, and new connections are accepted and never served. No connection breaks. */
  | 'black-hole'
  /** Some replies are lost: the server does what it is told, and the connection breaks before its reply arrives. */
  | 'cut-replies'
  /** Some replies arrive damaged. */
  | 'damage-replies'
  /** Some requests arrive damaged: only for connections with TLS, which notice that. */
  | 'damage-requests'
  /** Every connection breaks at once, and new ones too. */
  | 'reset'

export interface FaultyProxy {
  /** The URL of the database through the proxy. */
  readonly url: string
  /** The fault from now on. */
  set(fault: NetworkFault): void
  /** Breaks every connection; new ones go to the server of this URL. */
  moveTo(url: string): void
}

const DELAY_MS = 20
/** Every so many chunks of a connection are damaged or cut; those of its start pass, so that a retry gets through. */
const CHUNKS_PER_FAULT = 9

/** Opens a TCP proxy to the server of a URL, closed after the test. */
export async function openFaultyProxy(url: string): Promise<FaultyProxy> {
  let target = new URL(url)
  let fault: NetworkFault = 'none'
  const pairs = new Set<Pair>()
  const proxy = createServer((near) => {
    if (fault === 'reset') {
      near.on('error', () => {})
      near.resetAndDestroy()
      return
    }
    const pair = new Pair(near, connect(Number(target.port || 5432), target.hostname), () => fault)
    pairs.add(pair)
    pair.onClose(() => pairs.delete(pair))
  }).listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  onTestFinished(() => {
    proxy.close()
    for (const pair of pairs) pair.reset()
  })
  const { port } = proxy.address() as AddressInfo
  return {
    url: Object.assign(new URL(url), { hostname: '127.0.0.1', port: String(port) }).href,
    moveTo(other) {
      target = new URL(other)
      for (const pair of pairs) pair.reset()
    },
    set(next) {
      fault = next
      for (const pair of pairs) {
        if (fault === 'reset') pair.reset()
        else pair.release()
      }
    },
  }
}

/** The two connections of one client. */
class Pair {
  readonly #near: Socket
  readonly #far: Socket
  readonly #fault: () => NetworkFault
  /** What has not arrived yet, in order, for each side. */
  readonly #held = new Map<Socket, Buffer[]>()
  /** Once bytes were lost, nothing behind them may arrive: TCP has no holes. */
  #isBlackHole: boolean

  constructor(near: Socket, far: Socket, fault: () => NetworkFault) {
    this.#near = near
    this.#far = far
    this.#fault = fault
    this.#isBlackHole = fault() === 'black-hole'
    let requests = 0
    let replies = 0
    near.on('data', (chunk) => {
      requests += 1
      this.#carry(chunk, far, fault() === 'damage-requests' && requests % CHUNKS_PER_FAULT === 0)
    })
    far.on('data', (chunk) => {
      replies += 1
      const isHit = replies % CHUNKS_PER_FAULT === 0
      if (fault() === 'cut-replies' && isHit) this.reset()
      else this.#carry(chunk, near, fault() === 'damage-replies' && isHit)
    })
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      one.on('error', () => other.destroy())
      one.on('close', () => (this.#isBlackHole ? undefined : other.destroy()))
    }
  }

  onClose(listener: () => void): void {
    this.#near.on('close', listener)
  }

  reset(): void {
    this.#near.resetAndDestroy()
    this.#far.resetAndDestroy()
  }

  /** Sends what is held, unless the connection is stalled. */
  release(): void {
    if (this.#fault() === 'stall' || this.#isBlackHole) return
    for (const [to, chunks] of this.#held) {
      for (const chunk of chunks.splice(0)) if (!to.destroyed) to.write(chunk)
    }
  }

  #carry(chunk: Buffer, to: Socket, isDamaged: boolean): void {
    const fault = this.#fault()
    if (fault === 'black-hole') this.#isBlackHole = true
    if (isDamaged) damage(chunk)
    const chunks = this.#held.get(to)
    if (chunks === undefined) this.#held.set(to, [chunk])
    else chunks.push(chunk)
    if (fault === 'delay') setTimeout(() => this.release(), DELAY_MS)
    else this.release()
  }
}

/**
 * Damages what a reader notices: with TLS the protected bytes of a record, without it the type and length of a message.
 * PostgreSQL's messages have no checksum, so other damage in them would be stored or returned as it is.
 */
function damage(chunk: Buffer): void {
  const isTls = chunk[0] === 0x17 && chunk[1] === 0x03
  if (isTls) chunk[chunk.length - 1] = (chunk.at(-1) ?? 0) ^ 0xff
  else chunk.fill(0x7f, 0, Math.min(5, chunk.length))
}
