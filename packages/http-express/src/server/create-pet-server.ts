import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { clientAddressOf, type TrustProxy } from '../http/client-address.ts'
import { HttpError } from '../http/http-error.ts'
import type { HttpLog } from '../http/http-log.ts'
import { Connection, shutDown } from './connection.ts'
import { isHead, type ParserError, parserError, UnroutedErrors } from './unrouted-errors.ts'

/** The limits of the server, with their defaults; those of Node fit no API. */
export const SERVER_LIMITS = {
  /** Of request line and headers together; more is 431. */
  maxHeaderBytes: 16_384,
  /** For the headers to arrive; later is 408. */
  headersTimeoutMs: 10_000,
  /** For the whole request to arrive; later is 408. */
  requestTimeoutMs: 30_000,
  /** How often these two are checked. */
  checkIntervalMs: 1_000,
  /** How long an idle connection stays open: longer than the 60 s of usual load balancers, so that they close it and not we. */
  keepAliveTimeoutMs: 75_000,
  /** How many connections may be open; a further one is closed at once. Each takes some 20 KiB: all fit a container of 512 MB. */
  maxConnections: 10_000,
  /**
   * How long a connection may make no progress while its response is produced or sent, for clients that do not read.
   * Longer than the timeouts that have a response; whatever the app waits for must end before.
   */
  stallTimeoutMs: 60_000,
}

export type ServerLimits = Readonly<typeof SERVER_LIMITS>

export interface PetServerOptions extends Partial<ServerLimits> {
  /** The same as for the app, for the client's address in log lines. Default: none. */
  readonly trustProxy?: TrustProxy
  /** The same as for the app, for the errors that it does not see. Default: none. */
  readonly corsOrigins?: readonly string[]
}

/** A `node:http` server that can stop without breaking off a request. */
export interface PetServer extends Server {
  /** Stops listening, sends the responses to all requests under way, and resolves when every connection is closed. */
  shutDown(): Promise<void>
}

/**
 * Creates an HTTP server for the app. A connection has one request at a time, and errors that Node responds to by itself
 * get the error body and a log line. Does not listen yet.
 */
export function createPetServer(app: RequestListener, log: HttpLog, options: PetServerOptions = {}): PetServer {
  const { trustProxy = 0, corsOrigins = [], ...limits } = { ...SERVER_LIMITS, ...options }
  const server = createServer({
    maxHeaderSize: limits.maxHeaderBytes,
    headersTimeout: limits.headersTimeoutMs,
    requestTimeout: limits.requestTimeoutMs,
    connectionsCheckingInterval: limits.checkIntervalMs,
    keepAliveTimeout: limits.keepAliveTimeoutMs,
    // The app checks it: Node's response would lack the error body.
    requireHostHeader: false,
  })
  // Node would silently drop headers beyond a number. Their size is limited anyway.
  server.maxHeadersCount = 0
  server.maxConnections = limits.maxConnections
  server.setTimeout(limits.stallTimeoutMs)
  keepHalfOpen(server)
  const errors = new UnroutedErrors(log, clientAddressOf(trustProxy), corsOrigins)
  const connections = handleConnections(server, app, errors, limits.maxHeaderBytes)
  return Object.assign(server, { shutDown: () => shutDown(server, connections) })
}

/**
 * Sends responses to clients that have sent everything and closed their side. The property is not documented; a test
 * fails if Node no longer has it.
 */
function keepHalfOpen(server: Server): void {
  Object.assign(server, { httpAllowHalfOpen: true })
}

/** Connects the events of the server with the app. Returns the open connections. */
function handleConnections(
  server: Server,
  app: RequestListener,
  errors: UnroutedErrors,
  maxHeaderBytes: number,
): ReadonlyMap<Socket, Connection> {
  const connections = new Map<Socket, Connection>()
  server.on('connection', (socket: Socket) => {
    connections.set(socket, new Connection(socket, errors))
    socket.once('close', () => connections.delete(socket))
  })

  const add = (req: IncomingMessage, res: ServerResponse, handle: RequestListener) =>
    connections.get(req.socket)?.add(req, res, handle)
  const onRequest = (req: IncomingMessage, res: ServerResponse) => {
    // Express parses targets with Node's retired `url.parse`, which takes `/v1/pets#x` for a path of the API.
    const target = req.url
    req.url = target === '*' ? '/*' : originForm(target)
    const isInvalid = target === '*' && req.method !== 'OPTIONS'
    add(req, res, isInvalid ? () => errors.send(res, ASTERISK) : app)
  }
  server.on('request', onRequest)
  // Without a listener Node sends `100 Continue` at once. Here `readJsonBody` sends it.
  server.on('checkContinue', onRequest)
  server.on('checkExpectation', (req, res) => {
    const error = new HttpError('expectation_failed', 'The only possible expectation is 100-continue.')
    add(req, res, () => errors.send(res, error))
  })
  server.on('connect', (req: IncomingMessage, socket: Socket) => {
    // Node no longer listens to this socket: without listeners a reset would end the process, and a stalled client stay.
    socket.on('error', () => {})
    socket.on('timeout', () => socket.destroy())
    socket.resume()
    const error = new HttpError('not_found', 'This is not a proxy.')
    connections.get(socket)?.fail(error, true, req)
  })
  server.on('clientError', (cause: ParserError, socket: Socket) => {
    connections.get(socket)?.fail(parserError(cause, maxHeaderBytes), !isHead(cause))
  })
  return connections
}

/** For the target `*` (RFC 9112, 3.2.4), which means the server as a whole. */
const ASTERISK = new HttpError('invalid_request', 'The target * is for OPTIONS alone.')

/** A path without a route, under the base path of the operations and outside. */
const UNKNOWN_PATH = '/unknown'
const UNKNOWN_OPERATION = '/v1/unknown'

/**
 * The path and query of a request target (RFC 9112, 3.2), even of an absolute one. A target that Express would reject
 * before any middleware, or misread (`*`, a fragment, invalid percent-encoding), becomes a path without a route.
 */
function originForm(target: string = UNKNOWN_PATH): string {
  if (/^\/[^#%]*$/.test(target)) return target
  const absolute = /^https?:\/\/[^/?#\\]+(\/[^?#]*)?(\?[^#]*)?$/i.exec(target)
  const relative = absolute === null ? target : `${absolute[1] ?? '/'}${absolute[2] ?? ''}`
  if (!/^\/[^#]*$/.test(relative)) return UNKNOWN_PATH
  if (isDecodable(relative.replace(/\?.*/s, ''))) return relative
  return relative.startsWith('/v1/') ? UNKNOWN_OPERATION : UNKNOWN_PATH
}

function isDecodable(path: string): boolean {
  try {
    decodeURIComponent(path)
    return true
  } catch {
    return false
  }
}
