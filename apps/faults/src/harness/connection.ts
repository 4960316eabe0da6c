import { once } from 'node:events'
import { connect, type Socket } from 'node:net'

/** A response as it came over the wire. */
export interface WireResponse {
  readonly status: number
  /** Names in lower case. */
  readonly headers: ReadonlyMap<string, string>
  readonly body: string
}

export interface ConnectionOptions {
  /** Numbers, from 0, of the responses to HEAD requests: they have a length but no body. */
  readonly headResponses?: ReadonlySet<number>
}

const END_OF_HEAD = Buffer.from('\r\n\r\n')

/** An HTTP connection on which a test sends what bytes it likes, and reads responses as they come. */
export class Connection {
  readonly responses: WireResponse[] = []
  /** Statuses from 100 to 199, which precede a response. */
  readonly interim: number[] = []
  /** What arrived after the last complete response. */
  rest: Buffer = Buffer.alloc(0)
  /** Whether the server closed it in order, rather than by a reset. */
  endedInOrder = false
  readonly closed: Promise<void>
  readonly socket: Socket
  readonly #heads: ReadonlySet<number>
  #waiting: (() => void)[] = []

  private constructor(socket: Socket, { headResponses = new Set() }: ConnectionOptions) {
    this.socket = socket
    this.#heads = headResponses
    this.closed = new Promise((resolve) => socket.once('close', () => resolve()))
    socket.on('data', (chunk) => {
      this.rest = this.rest.length === 0 ? chunk : Buffer.concat([this.rest, chunk])
      while (this.#takeResponse());
      this.#wake()
    })
    socket.on('end', () => {
      this.endedInOrder = true
    })
    // A reset is an outcome here; `closed` tells of it.
    socket.on('error', () => {})
    socket.once('close', () => this.#wake())
  }

  /** Rejects when nobody listens. */
  static async open(port: number, options: ConnectionOptions = {}): Promise<Connection> {
    // Half-open, so that a test can see the end of what the server sends before it ends its own side.
    const socket = connect({ host: '127.0.0.1', port, noDelay: true, allowHalfOpen: true })
    await once(socket, 'connect')
    socket.on('end', () => socket.end())
    return new Connection(socket, options)
  }

  write(bytes: string | Buffer): void {
    if (!this.socket.destroyed) this.socket.write(bytes)
  }

  /** The response with this number, from 0; `undefined` when the connection closed without it, or the time is over. */
  async response(number: number, timeoutMs = 30_000): Promise<WireResponse | undefined> {
    const end = Date.now() + timeoutMs
    while (this.responses.length <= number && !this.socket.destroyed && Date.now() < end) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, end - Date.now())
        this.#waiting.push(() => {
          clearTimeout(timer)
          resolve()
        })
      })
    }
    return this.responses[number]
  }

  destroy(): void {
    this.socket.destroy()
  }

  #wake(): void {
    const waiting = this.#waiting
    this.#waiting = []
    for (const resolve of waiting) resolve()
  }

  #takeResponse(): boolean {
    const headLength = this.rest.indexOf(END_OF_HEAD)
    if (headLength === -1) return false
    const [statusLine = '', ...lines] = this.rest.toString('latin1', 0, headLength).split('\r\n')
    const status = Number(/^HTTP\/1\.1 ([0-9]{3}) /.exec(statusLine)?.[1] ?? Number.NaN)
    const bodyStart = headLength + END_OF_HEAD.length
    if (status < 200) {
      this.interim.push(status)
      this.rest = this.rest.subarray(bodyStart)
      return true
    }
    const headers = new Map(
      lines.map((line) => [line.split(':', 1)[0]?.toLowerCase() ?? '', line.replace(/^[^:]*: */, '')]),
    )
    const hasBody = status !== 204 && !this.#heads.has(this.responses.length)
    const bodyLength = hasBody ? Number(headers.get('content-length') ?? 0) : 0
    if (this.rest.length < bodyStart + bodyLength) return false
    this.responses.push({ status, headers, body: this.rest.toString('utf8', bodyStart, bodyStart + bodyLength) })
    this.rest = this.rest.subarray(bodyStart + bodyLength)
    return true
  }
}

/** A request as it goes over the wire. */
export interface WireRequest {
  readonly method?: string
  readonly path: string
  readonly key?: string | undefined
  readonly body?: string
  readonly headers?: Readonly<Record<string, string>>
}

/** The bytes of a well-formed request. */
export function requestBytes({ method = 'GET', path, key, body, headers = {} }: WireRequest): string {
  const all = {
    Host: '127.0.0.1',
    ...(key !== undefined && { Authorization: `Bearer ${key}` }),
    ...(body !== undefined && {
      'Content-Type': 'application/json',
      'Content-Length': String(Buffer.byteLength(body)),
    }),
    ...headers,
  }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
  return `${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n${body ?? ''}`
}

/** Sends one request on a connection of its own. `undefined` when the connection broke before the response. */
export async function ask(port: number, request: WireRequest, timeoutMs?: number): Promise<WireResponse | undefined> {
  const connection = await Connection.open(port, {
    headResponses: new Set(request.method === 'HEAD' ? [0] : []),
  }).catch(() => undefined)
  connection?.write(requestBytes(request))
  const response = await connection?.response(0, timeoutMs)
  connection?.destroy()
  return response
}
