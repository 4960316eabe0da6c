import { once } from 'node:events'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { Server as NetServer, type Socket } from 'node:net'
import { setImmediate } from 'node:timers/promises'
import type { HttpError } from '../http/http-error.ts'
import { closeAfter, closeSlowly, sendError } from '../http/send-response.ts'
import type { UnroutedErrors } from './unrouted-errors.ts'

/** How many requests a client may send ahead before its connection is destroyed. */
const MAX_SENT_AHEAD = 8

type Handle = (req: IncomingMessage, res: ServerResponse) => void

/**
 * One connection, with one request at a time. A client that sends more before it has the whole response gets that
 * response, and then the connection closes: nothing that was sent ahead is handled, so that no request is executed whose
 * response cannot be sent (RFC 9112, 9.3.2 and 9.6). Node would handle all of them at once.
 */
export class Connection {
  readonly #socket: Socket
  readonly #errors: UnroutedErrors
  /** The response under way, until it has left and the body of its request has arrived. */
  #current: ServerResponse | undefined
  #isHandled = false
  #hasLeft = false
  #sentAhead = 0
  /** Nothing more is handled. */
  #isEnding = false
  #isStopping = false
  /** How many bytes had arrived when the connection became idle. */
  #idleAtBytes = 0

  constructor(socket: Socket, errors: UnroutedErrors) {
    this.#socket = socket
    this.#errors = errors
  }

  /** Handles a request, or closes the connection if it was sent ahead. */
  add(req: IncomingMessage, res: ServerResponse, handle: Handle): void {
    if (this.#isEnding || this.#isBusy()) {
      this.#refuse(req)
      return
    }
    this.#current = res
    this.#isHandled = false
    this.#hasLeft = false
    res.on('close', this.#leave)
    if (this.#isStopping) closeAfter(res)
    // Node skips what follows a request with `Upgrade` in the same packet.
    if (req.headers.upgrade !== undefined) closeAfter(res)
    // After the parser has read the whole packet, so that it is known what else was in it.
    process.nextTick(this.#handle, req, res, handle)
  }

  /** One function for all requests of the connection: a closure for each costs more. */
  readonly #handle = (req: IncomingMessage, res: ServerResponse, handle: Handle): void => {
    if (this.#socket.destroyed || res.headersSent) return
    this.#isHandled = true
    handle(req, res)
  }

  /** Responds to bytes that are not a valid request, and closes the connection. `req` only where it could be parsed. */
  fail(error: HttpError, hasBody: boolean, req?: IncomingMessage): void {
    // The parser reports each further piece of an invalid request again.
    if (this.#isEnding) return
    const current = this.#current
    if (!this.#socket.writable) {
      this.#socket.destroy()
    } else if (current === undefined || !this.#isBusy()) {
      this.#socket.write(this.#errors.rawResponse(error, this.#socket, hasBody, req))
      this.#close()
    } else if (current.req.complete || current.headersSent) {
      this.#closeAfterCurrent()
    } else {
      this.#isEnding = true
      closeAfter(current)
      // The app finds the response written when it has something to send.
      if (this.#isHandled) sendError(current, error)
      else this.#errors.send(current, error)
    }
  }

  /** From now on each response closes the connection. */
  stop(): void {
    this.#isStopping = true
    if (this.#current?.headersSent === false) closeAfter(this.#current)
  }

  /** Whether nothing is under way: no response that has not left yet, no request of which a part has arrived. */
  get isIdle(): boolean {
    return this.#current === undefined && this.#socket.bytesRead === this.#idleAtBytes
  }

  /** As little as possible: one packet can have two thousand requests, all of which Node parses at once. */
  #refuse(req: IncomingMessage): void {
    this.#sentAhead += 1
    if (this.#sentAhead > MAX_SENT_AHEAD + 1) return
    if (this.#sentAhead > MAX_SENT_AHEAD) this.#socket.destroy()
    req.resume()
    this.#closeAfterCurrent()
  }

  #isBusy(): boolean {
    return this.#current !== undefined && !(this.#hasLeft && this.#current.req.complete)
  }

  #closeAfterCurrent(): void {
    if (this.#isEnding) return
    this.#isEnding = true
    if (this.#hasLeft) this.#close()
    else if (this.#current?.headersSent === false) closeAfter(this.#current)
  }

  /** After a response has left. An early one leaves while the body of its request still arrives. */
  readonly #leave = (): void => {
    const { req } = this.#current as ServerResponse
    this.#hasLeft = true
    if (this.#isEnding && this.#socket.writable) this.#close()
    if (req.complete) this.#becomeIdle()
    else req.once('end', () => this.#current?.req === req && this.#becomeIdle())
  }

  #becomeIdle(): void {
    // An idle connection would keep it from garbage collection until its next request.
    this.#current = undefined
    this.#idleAtBytes = this.#socket.bytesRead
  }

  #close(): void {
    this.#isEnding = true
    closeSlowly(this.#socket)
  }
}

/** How long an idle connection stays open after the server stops listening: a request may be on its way. */
const IDLE_MS = 1_000
const SWEEP_INTERVAL_MS = 50

/** Stops listening, lets requests finish, and closes idle connections after a while. Resolves when all are closed. */
export async function shutDown(server: Server, connections: ReadonlyMap<Socket, Connection>): Promise<void> {
  const closed = once(server, 'close')
  // Right after the event loop has accepted connections, so that none is left in the queue of the system.
  await setImmediate()
  // An HTTP server's own `close` also destroys connections without a request under way, at once: those whose next request
  // is on its way, and those whose response has not left yet.
  NetServer.prototype.close.call(server)
  // Not before: a client whose connection is closed while the server listens reconnects.
  for (const connection of connections.values()) connection.stop()
  const idleSince = performance.now()
  const sweeping = setInterval(() => {
    if (performance.now() - idleSince < IDLE_MS) return
    for (const [socket, connection] of connections) if (connection.isIdle) socket.destroy()
  }, SWEEP_INTERVAL_MS)
  await closed
  clearInterval(sweeping)
}
