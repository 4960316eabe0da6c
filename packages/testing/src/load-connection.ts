import { connect, type Socket } from 'node:net'
import { TIMEOUT_MS } from './timeout.ts'
import { type RawResponse, readResponse } from './wire.ts'

/**
 * A connection for load tests, with one request at a time and as little work for each as possible.
 */
export class LoadConnection {
  readonly #socket: Socket
  #received: Buffer | undefined
  #onResponse: ((response: RawResponse | undefined) => void) | undefined

  /** Begins to connect. Requests can be sent at once. */
  constructor(port: number) {
    this.#socket = connect({ host: '127.0.0.1', port, noDelay: true })
    this.#socket.on('data', (chunk) => this.#read(chunk))
    this.#socket.on('error', () => {})
    this.#socket.setTimeout(TIMEOUT_MS, () => {
      if (this.#onResponse !== undefined) this.#socket.destroy()
    })
    this.#socket.once('close', () => this.#respond(undefined))
  }

  /** Whether another request may be sent: false once the server has closed the connection. */
  get isOpen(): boolean {
    return this.#socket.writable
  }

  /**
   * Sends a request. `onResponse` gets the response, or `undefined` if the connection broke or
   * there was no response in time.
   */
  send(bytes: string | Buffer, onResponse: (response: RawResponse | undefined) => void): void {
    this.#onResponse = onResponse
    if (this.isOpen) this.#socket.write(bytes)
    else this.#respond(undefined)
  }

  close(): void {
    this.#onResponse = undefined
    this.#socket.destroy()
  }

  #read(chunk: Buffer): void {
    const bytes = this.#received === undefined ? chunk : Buffer.concat([this.#received, chunk])
    const response = readResponse(bytes)
    this.#received = response === undefined ? bytes : undefined
    if (response === undefined) return
    if (/\r\nconnection: close/i.test(response.head)) this.#socket.destroy()
    this.#respond(response)
  }

  #respond(response: RawResponse | undefined): void {
    const onResponse = this.#onResponse
    this.#onResponse = undefined
    onResponse?.(response)
  }
}
