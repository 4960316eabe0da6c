import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { isHost } from '../request/framing.ts'
import { decodableTarget } from '../request/request-target.ts'
import { closeSlowly } from '../response/close-slowly.ts'
import { HttpError } from '../response/http-error.ts'
import { closeAfter, sendError } from '../response/response.ts'
import { leaveWaiting } from '../wire/body/expect-continue.ts'
import {
  isHead,
  MAX_HEADER_FIELDS,
  type ParserError,
  parserError,
  TOO_MANY_FIELDS,
  type UnroutedErrors,
} from './unrouted-errors.ts'

/** Passes the events of the server to the app and to `errors`. Returns the open connections. */
export function handleConnections(
  server: Server,
  app: RequestListener,
  errors: UnroutedErrors,
): ReadonlyMap<Socket, Connection> {
  const connections = new Map<Socket, Connection>()
  const onLongPacket = limitLongPackets(connections)
  server.on('connection', (socket: Socket) => {
    connections.set(socket, new Connection(socket, errors, onLongPacket))
    socket.once('close', () => connections.delete(socket))
  })

  const add = (req: IncomingMessage, res: ServerResponse, handle: RequestListener) =>
    connections.get(req.socket)?.add(req, res, handle)
  const onRequest = (req: IncomingMessage, res: ServerResponse) => {
    if (req.rawHeaders.length > 2 * MAX_HEADER_FIELDS) {
      add(req, res, () => errors.send(res, TOO_MANY_FIELDS))
      return
    }
    // Express parses targets with `url.parse`, which Node has deprecated, and which reads
    // `/v1/pets#x` as a path of the API.
    const target = req.url
    req.url = target === '*' ? '/*' : originForm(target)
    const error = targetError(target, req.method)
    add(req, res, error === undefined ? app : () => errors.send(res, error))
  }
  server.on('request', onRequest)
  // Without this listener Node would send `100 Continue` at once; `readJsonBody` sends it later.
  server.on('checkContinue', (req, res) => {
    leaveWaiting(req)
    onRequest(req, res)
  })
  server.on('checkExpectation', (req, res) => {
    const error = new HttpError(
      'expectation_failed',
      'The only possible expectation is 100-continue.',
    )
    add(req, res, () => errors.send(res, error))
  })
  server.on('connect', (req: IncomingMessage, socket: Socket) => {
    // Node no longer listens to this socket. Without these listeners a reset would end the process,
    // and the connection of a stalled client would stay open.
    socket.on('error', () => {})
    socket.on('timeout', () => socket.destroy())
    socket.resume()
    const error = new HttpError('not_found', 'This is not a proxy.')
    connections.get(socket)?.fail(error, true, req)
  })
  server.on('clientError', (cause: ParserError, socket: Socket) => {
    connections.get(socket)?.fail(parserError(cause), !isHead(cause))
  })
  return connections
}

/**
 * Returns a function to call when a packet has more than eight requests that were sent ahead. Only
 * one such packet is read in a turn of the event loop; other connections are paused until the next
 * turn. Node parses a packet of two thousand requests in some 30 ms, into five megabytes, which are
 * freed when its connection is closed at the end of the turn.
 */
function limitLongPackets(connections: ReadonlyMap<Socket, Connection>): () => void {
  return () => {
    // Connections that are paused for another reason stay paused.
    const reading = [...connections.keys()].filter((socket) => !socket.isPaused())
    for (const socket of reading) socket.pause()
    setImmediate(() => {
      for (const socket of reading) socket.resume()
    })
  }
}

/** The error for a target `*`, the server as a whole (RFC 9112, 3.2.4), with another method. */
const ASTERISK = new HttpError('invalid_request', 'The target * is for OPTIONS alone.')

const AUTHORITY = new HttpError(
  'invalid_request',
  'The target must have one host, of the form host or host:port.',
)

function targetError(
  target: string | undefined,
  method: string | undefined,
): HttpError | undefined {
  if (target === undefined || target.startsWith('/')) return undefined
  if (target === '*') return method === 'OPTIONS' ? undefined : ASTERISK
  const [, host] = /^https?:\/\/([^/?#]*)/i.exec(target) ?? []
  // A target with another scheme becomes an unknown path.
  if (host === undefined) return undefined
  return host !== '' && isHost(host) ? undefined : AUTHORITY
}

const UNKNOWN_PATH = '/unknown'

/**
 * The path and query of a request target (RFC 9112, 3.2), even of an absolute one. A target that
 * Express would reject before any middleware, or misread (`*`, a fragment, invalid
 * percent-encoding), becomes a path without a route.
 */
function originForm(target: string = UNKNOWN_PATH): string {
  if (/^\/[^#%]*$/.test(target)) return target
  const absolute = /^https?:\/\/[^/?#\\]+(\/[^?#]*)?(\?[^#]*)?$/i.exec(target)
  const relative = absolute === null ? target : `${absolute[1] ?? '/'}${absolute[2] ?? ''}`
  return /^\/[^#]*$/.test(relative) ? decodableTarget(relative) : UNKNOWN_PATH
}

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
    if (this.#isEnding || this.#isBusy()) {
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
    // was in it.
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
    // The parser reports an error again for each further packet of an invalid request.
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
      // If the app sends a response later, it finds that one was sent: see `handleError`.
      if (this.#isHandled) sendError(current, error)
      else this.#errors.send(current, error)
    }
  }

  /** Makes the current response and every later one close the connection. */
  stop(): void {
    this.#isStopping = true
    if (this.#current?.headersSent === false) closeAfter(this.#current)
  }

  /**
   * Whether nothing is under way: every response has left, and no part of a new request has
   * arrived.
   */
  get isIdle(): boolean {
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

  #closeAfterCurrent(): void {
    if (this.#isEnding) return
    this.#isEnding = true
    if (this.#hasLeft) this.#close()
    else if (this.#current?.headersSent === false) closeAfter(this.#current)
  }

  /**
   * Called when the response has left. If it was sent early, the body of its request may still be
   * arriving.
   */
  readonly #leave = (): void => {
    const { req } = this.#current as ServerResponse
    this.#hasLeft = true
    if (this.#isEnding && this.#socket.writable) this.#close()
    if (req.complete) this.#becomeIdle()
    else req.once('end', () => this.#current?.req === req && this.#becomeIdle())
  }

  #becomeIdle(): void {
    // Lets the response be garbage-collected while the connection is idle.
    this.#current = undefined
    this.#idleAtBytes = this.#socket.bytesRead
  }

  #close(): void {
    this.#isEnding = true
    closeSlowly(this.#socket)
  }
}
