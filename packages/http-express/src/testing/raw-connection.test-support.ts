import type { Socket } from 'node:net'
import type { TestResponse } from './response.test-support.ts'

/** A bare TCP connection, for requests that no HTTP client would send. */
export class RawConnection {
  readonly #socket: Socket
  readonly #responses: TestResponse[] = []
  readonly #ended: Promise<void>
  /** Whether the server closed while this side was still sending. */
  isBroken = false
  /** How many times `100 Continue` arrived. */
  continues = 0
  #received = Buffer.alloc(0)
  #wake = (): void => {}
  #isEnded = false
  #takesResponses = true

  constructor(socket: Socket) {
    this.#socket = socket
    socket.on('data', (chunk) => {
      this.#received = Buffer.concat([this.#received, chunk])
      if (this.#takesResponses) this.#takeResponses()
      this.#wake()
    })
    socket.on('error', () => {
      this.isBroken = true
    })
    this.#ended = new Promise((resolve) => {
      const end = (): void => {
        this.#isEnded = true
        this.#wake()
        resolve()
      }
      socket.on('end', end)
      socket.on('close', end)
    })
  }

  /** Sends bytes as they are; a string is sent one byte a character. */
  write(data: string | Uint8Array): this {
    this.#socket.write(typeof data === 'string' ? Buffer.from(data, 'latin1') : data)
    return this
  }

  /** Leaves all that arrives to `text()`: a response to HEAD announces a body that does not come. */
  expectHeadOnly(): this {
    this.#takesResponses = false
    return this
  }

  /** The next response in the order of arrival. Rejects when the server closes before. */
  async response(): Promise<TestResponse> {
    while (this.#responses.length === 0) {
      if (this.#isEnded) throw new Error(`The connection closed; received so far: ${this.#received.toString()}`)
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
    }
    return this.#responses.shift() as TestResponse
  }

  /** Stops reading: what the server sends stays in the buffers of the system, as far as they go. */
  pause(): this {
    this.#socket.pause()
    return this
  }

  /** Waits until the server has closed the connection; tells how many bytes came that no test asked for. */
  async closed(): Promise<number> {
    await this.#ended
    this.#socket.destroy()
    return this.#received.length + this.#responses.length
  }

  /** All that arrives until the server closes the connection, as text. */
  async text(): Promise<string> {
    await this.#ended
    this.#socket.destroy()
    return this.#received.toString('latin1')
  }

  /** The bytes that were written and that the system has not taken yet, because the server does not read. */
  get unsent(): number {
    return this.#socket.writableLength
  }

  /** Breaks the connection off, as a crashed client does. */
  reset(): void {
    this.#socket.resetAndDestroy()
  }

  /** Sends FIN, as a client does that has said everything. */
  end(): void {
    this.#socket.end()
  }

  #takeResponses(): void {
    for (;;) {
      const end = this.#received.indexOf('\r\n\r\n')
      if (end === -1) return
      const [statusLine = '', ...lines] = this.#received.subarray(0, end).toString('latin1').split('\r\n')
      const headers = Object.fromEntries(lines.map((line) => splitOnce(line)))
      const length = end + 4 + Number(headers['content-length'] ?? 0)
      if (this.#received.length < length) return
      const text = this.#received.subarray(end + 4, length).toString()
      this.#received = this.#received.subarray(length)
      const status = Number(statusLine.split(' ')[1])
      if (status === 100) this.continues += 1
      else this.#responses.push({ status, headers, text })
    }
  }
}

function splitOnce(line: string): [string, string] {
  const colon = line.indexOf(':')
  return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()]
}
