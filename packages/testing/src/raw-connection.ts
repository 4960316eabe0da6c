import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import {
  readResponse,
  requestBytes,
  type WireRequest,
  type WireResponse,
  wireResponse,
} from './wire.ts'

/** Far more than a response takes on a loaded machine. */
export const RESPONSE_TIMEOUT_MS = 600_000

/**
 * A TCP connection for requests that no HTTP client would send. Responses are read as they come, in
 * order.
 */
export class RawConnection {
  readonly socket: Socket
  /** Responses that have arrived and that nobody has taken yet. */
  readonly responses: WireResponse[] = []
  /** How many times `100 Continue` arrived. */
  continues = 0
  /** Whether the connection broke, rather than ending in order. */
  isBroken = false
  #hasEnded = false
  #received: Buffer = Buffer.alloc(0)
  #takesResponses = true
  #waiting: (() => void)[] = []

  /** Begins to connect; what is written meanwhile is sent then. */
  constructor(port: number) {
    // Half-open, so that a test sees the end of what the server sends, and may end its own side
    // earlier or later.
    this.socket = connect({ host: '127.0.0.1', port, noDelay: true, allowHalfOpen: true })
    this.socket.on('data', (chunk) => {
      this.#received = this.#received.length === 0 ? chunk : Buffer.concat([this.#received, chunk])
      this.#takeResponses()
      this.#wake()
    })
    // A reset is an outcome here.
    this.socket.on('error', () => {
      this.isBroken = true
    })
    for (const event of ['end', 'close']) {
      this.socket.once(event, () => {
        this.#hasEnded = true
        this.#wake()
      })
    }
  }

  /** Connects, and rejects when nobody listens. */
  static async open(port: number): Promise<RawConnection> {
    const connection = new RawConnection(port)
    await once(connection.socket, 'connect')
    return connection
  }

  /** Whether more responses may come. */
  get isOpen(): boolean {
    return !this.#hasEnded && !this.socket.destroyed
  }

  /** Sends bytes as they are; a string is sent one byte a character. */
  write(data: string | Uint8Array): this {
    if (!this.socket.destroyed)
      this.socket.write(typeof data === 'string' ? Buffer.from(data, 'latin1') : data)
    return this
  }

  /**
   * Leaves all that arrives to `text()`: a response to HEAD announces a body that does not come.
   */
  expectText(): this {
    this.#takesResponses = false
    return this
  }

  /**
   * The next response in the order of arrival. Rejects when the connection closes before, or none
   * comes in time.
   */
  async response(timeoutMs: number = RESPONSE_TIMEOUT_MS): Promise<WireResponse> {
    const response = await this.nextResponse(timeoutMs)
    if (response !== undefined) return response
    const why = this.isOpen ? `No response within ${timeoutMs} ms` : 'The connection closed'
    throw new Error(`${why}; received so far: ${this.#received.toString('latin1')}`)
  }

  /** The same; `undefined` instead of rejecting. */
  async nextResponse(timeoutMs: number = RESPONSE_TIMEOUT_MS): Promise<WireResponse | undefined> {
    const deadline = performance.now() + timeoutMs
    while (this.responses.length === 0 && this.isOpen && performance.now() < deadline) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, deadline - performance.now())
        this.#waiting.push(() => {
          clearTimeout(timer)
          resolve()
        })
      })
    }
    return this.responses.shift()
  }

  /** Stops reading: what the server sends stays in the buffers of the system, as far as they go. */
  pause(): this {
    this.socket.pause()
    return this
  }

  /** Sends FIN, as a client does that has sent everything. */
  end(): void {
    this.socket.end()
  }

  /** Breaks the connection off, as a crashed client does. */
  reset(): void {
    this.socket.resetAndDestroy()
  }

  /**
   * Waits until the server has closed the connection; the number of bytes and responses that nobody
   * has taken.
   */
  async closed(): Promise<number> {
    const rest = await this.text()
    return rest.length + this.responses.length
  }

  /**
   * All that arrives until the server closes the connection and that is no complete response, as
   * text.
   */
  async text(): Promise<string> {
    while (!this.#hasEnded) await new Promise<void>((resolve) => this.#waiting.push(resolve))
    this.socket.destroy()
    return this.#received.toString('latin1')
  }

  #wake(): void {
    for (const resolve of this.#waiting.splice(0)) resolve()
  }

  #takeResponses(): void {
    while (this.#takesResponses) {
      const response = readResponse(this.#received)
      if (response === undefined) return
      if (response.status === 100) this.continues += 1
      else this.responses.push(wireResponse(response))
      this.#received = this.#received.subarray(response.length)
    }
  }
}

/**
 * Sends one request, which is no HEAD, on a connection of its own. `undefined` when there was no
 * response, or none in time.
 */
export async function ask(
  port: number,
  request: WireRequest,
  timeoutMs?: number,
): Promise<WireResponse | undefined> {
  const connection = new RawConnection(port)
  const response = await connection
    .write(Buffer.from(requestBytes(request)))
    .nextResponse(timeoutMs)
  connection.socket.destroy()
  return response
}
