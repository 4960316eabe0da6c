import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { TIMEOUT_MS } from './timeout.ts'
import {
  readResponse,
  requestBytes,
  type WireRequest,
  type WireResponse,
  wireResponse,
} from './wire.ts'

/** A TCP connection for requests that no HTTP client would send. Reads responses in order. */
export class RawConnection {
  readonly socket: Socket
  /** Responses that have arrived and were not taken yet. */
  readonly responses: WireResponse[] = []
  /** How many times `100 Continue` has arrived. */
  continues = 0
  /** Whether the connection broke instead of being closed normally. */
  isBroken = false
  #hasEnded = false
  #received: Buffer = Buffer.alloc(0)
  #takesResponses = true
  #waiting: (() => void)[] = []

  /** Begins to connect. Bytes can be written at once. */
  constructor(port: number) {
    // With `allowHalfOpen` a test sees when the server ends its side, and may end its own side
    // earlier or later.
    this.socket = connect({ host: '127.0.0.1', port, noDelay: true, allowHalfOpen: true })
    this.socket.on('data', (chunk) => {
      this.#received = this.#received.length === 0 ? chunk : Buffer.concat([this.#received, chunk])
      this.#takeResponses()
      this.#wake()
    })
    // A reset is a result that tests look at, not an error of the test.
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

  /** Connects. Rejects if nothing listens on the port. */
  static async open(port: number): Promise<RawConnection> {
    const connection = new RawConnection(port)
    await once(connection.socket, 'connect')
    return connection
  }

  /** Whether more responses may come. */
  get isOpen(): boolean {
    return !this.#hasEnded && !this.socket.destroyed
  }

  /** Sends bytes unchanged; of a string, one byte for each character (Latin-1). */
  write(data: string | Uint8Array): this {
    if (!this.socket.destroyed)
      this.socket.write(typeof data === 'string' ? Buffer.from(data, 'latin1') : data)
    return this
  }

  /**
   * Leaves everything that arrives to `text()`. For responses to HEAD, which announce a body that
   * does not come.
   */
  expectText(): this {
    this.#takesResponses = false
    return this
  }

  /**
   * Returns the next response in the order of arrival. Rejects if the connection closes before, or
   * there is no response in time.
   */
  async response(timeoutMs: number = TIMEOUT_MS): Promise<WireResponse> {
    const response = await this.nextResponse(timeoutMs)
    if (response !== undefined) return response
    const why = this.isOpen ? `No response within ${timeoutMs} ms` : 'The connection closed'
    throw new Error(`${why}; received so far: ${this.#received.toString('latin1')}`)
  }

  /** Like `response`, but returns `undefined` instead of rejecting. */
  async nextResponse(timeoutMs: number = TIMEOUT_MS): Promise<WireResponse | undefined> {
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

  /** Closes the sending side (FIN), as a client does that has sent everything. */
  end(): void {
    this.socket.end()
  }

  /** Resets the connection, as a crashed client does. */
  reset(): void {
    this.socket.resetAndDestroy()
  }

  /**
   * Waits until the server has closed the connection. Returns the number of bytes and responses
   * that were not taken.
   */
  async closed(): Promise<number> {
    const rest = await this.text()
    return rest.length + this.responses.length
  }

  /**
   * Waits until the server has closed the connection. Returns as text what has arrived and is not a
   * complete response.
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
 * Sends one request, which must not be a HEAD, on a connection of its own. Returns `undefined` if
 * there was no response, or none in time.
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
