import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { closeSlowly } from '../response/close-slowly.ts'
import { contextOf } from '../response/context.ts'
import type { HttpError } from '../response/http-error.ts'
import { closeAfter, sendError } from '../response/response.ts'
import type { UnroutedErrors } from './unrouted-errors.ts'

/** How many requests a client may send ahead; if it sends more, its connection is destroyed. */
const MAX_SENT_AHEAD = 8

/**
 * One connection, on which one request is handled at a time; Node itself would handle all of them
 * at once. If a client sends further requests before it has the whole response, it gets that
 * response, and then the connection closes. Requests that were sent ahead are not handled, so that
 * no request is executed whose response cannot be sent (RFC 9112, 9.3.2 and 9.6).
 */
export class Connection {
  readonly #socket: Socket
  readonly #errors: UnroutedErrors
  readonly #onLongPacket: () => void
  /** The current response, until it has left and the body of its request has arrived. */
  #current: ServerResponse | undefined
  #isHandled = false
  #hasLeft = false
  #sentAhead = 0
  #isEnding = false
  #isStopping = false
  /** How many bytes had arrived when the connection became idle. */
  #idleAtBytes = 0

  constructor(socket: Socket, errors: UnroutedErrors, onLongPacket: () => void) {
    this.#socket = socket
    this.#errors = errors
    this.#onLongPacket = onLongPacket
  }

  /** Handles a request, or closes the connection if it was sent ahead. */
  add(req: IncomingMessage, res: ServerResponse, handle: RequestListener): void {
    // The sending side has ended after a response that closes the connection.
    const isEnding = this.#isEnding || !this.#socket.writable
    if (isEnding || this.#isBusy() || this.#wasSentAhead()) {
      this.#reject(req)
      return
    }
    this.#current = res
    this.#isHandled = false
    this.#hasLeft = false
    res.on('close', this.#leave)
    if (this.#isStopping) closeAfter(res)
    // Node ignores what follows a request with `Upgrade` in the same packet.
    if (req.headers.upgrade !== undefined) closeAfter(res)
    // Handles the request after the parser has read the whole packet, when it is known what else
    // was in it. With a body, or 32 fields, Node runs it after a part of the packet; then the
    // response may have left before the next request is parsed: see `#wasSentAhead`.
    process.nextTick(this.#handle, req, res, handle)
  }

  /** All requests of the connection share this function; a closure for each would cost more. */
  readonly #handle = (req: IncomingMessage, res: ServerResponse, handle: RequestListener): void => {
    if (this.#socket.destroyed || res.headersSent) return
    this.#isHandled = true
    handle(req, res)
  }

  /**
   * Responds to bytes that are not a valid request, and closes the connection. `req` is absent if
   * the request could not be parsed.
   */
  fail(error: HttpError, hasBody: boolean, req?: IncomingMessage): void {
    // The parser reports an error again for each further packet of an invalid request. A socket
    // that is not writable closes once it has sent its response, which nothing may cut off.
    if (this.#isEnding || !this.#socket.writable) return
    const current = this.#isBusy() ? this.#current : undefined
    if (current === undefined) {
      this.#sendRaw(error, hasBody, req)
    } else if (current.req.complete || current.headersSent) {
      this.#closeAfterCurrent()
    } else if (!this.#isHandled) {
      this.#isEnding = true
      this.#errors.send(current, error)
    } else if (contextOf(current) !== undefined) {
      this.#isEnding = true
      closeAfter(current)
      // If the app sends a response later, it finds that one was sent: see `handleError`.
      sendError(current, error)
    } else {
      // The response object of another app is left as it is, as Node does. If that app found a
      // response sent when it responds later, it would throw, maybe where nothing catches it.
      this.#sendRaw(error, current.req.method !== 'HEAD', current.req)
    }
  }

  /** Makes the current response and every later one close the connection. */
  stop(): void {
    this.#isStopping = true
    if (this.#current?.headersSent === false) closeAfter(this.#current)
  }

  /**
   * Whether nothing is under way: every response has left, and no part of a new request has
   * arrived. A connection that is being closed is not idle, so that its client can receive the
   * response.
   */
  get isIdle(): boolean {
    if (!this.#socket.writable) return false
    return this.#current === undefined
      ? this.#socket.bytesRead === this.#idleAtBytes
      : this.#hasLeft
  }

  /**
   * Rejects a request that was sent ahead. Does as little as possible, because one packet can have
   * two thousand requests, all of which Node parses at once.
   */
  #reject(req: IncomingMessage): void {
    this.#sentAhead += 1
    if (this.#sentAhead > MAX_SENT_AHEAD + 1) return
    if (this.#sentAhead > MAX_SENT_AHEAD) {
      this.#socket.destroy()
      this.#onLongPacket()
    }
    req.resume()
    this.#closeAfterCurrent()
  }

  #isBusy(): boolean {
    return this.#current !== undefined && !(this.#hasLeft && this.#current.req.complete)
  }

  /**
   * Whether a request was in a packet that had arrived before the last response left. Streams that
   * do not count their bytes have `undefined`, of which this is never true.
   */
  #wasSentAhead(): boolean {
    return this.#socket.bytesRead <= this.#idleAtBytes
  }

  #closeAfterCurrent(): void {
    if (this.#isEnding) return
    this.#isEnding = true
    if (this.#hasLeft) this.#closeUnlessEnded()
    else if (this.#current?.headersSent === false) closeAfter(this.#current)
  }

  /**
   * Called when the response has left. If it was sent early, the body of its request may still be
   * arriving.
   */
  readonly #leave = (): void => {
    const { req } = this.#current as ServerResponse
    this.#hasLeft = true
    if (this.#isEnding) this.#closeUnlessEnded()
    if (req.complete) this.#becomeIdle()
    else req.once('end', () => this.#current?.req === req && this.#becomeIdle())
  }

  #becomeIdle(): void {
    // Lets the response be garbage-collected while the connection is idle.
    this.#current = undefined
    this.#idleAtBytes = this.#socket.bytesRead
  }

  #sendRaw(error: HttpError, hasBody: boolean, req: IncomingMessage | undefined): void {
    this.#socket.write(this.#errors.rawResponse(error, this.#socket, hasBody, req))
    this.#close()
  }

  /** A connection whose sending side has ended is being closed already. */
  #closeUnlessEnded(): void {
    if (this.#socket.writable) this.#close()
  }

  #close(): void {
    this.#isEnding = true
    closeSlowly(this.#socket)
  }
}
