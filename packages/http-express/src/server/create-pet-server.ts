import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { type ClientAddress, clientAddressOf, type TrustProxy } from '../http/client-address.ts'
import { ERROR_STATUS, HttpError } from '../http/http-error.ts'
import type { HttpLog } from '../http/http-log.ts'
import { sendError } from '../http/send-response.ts'
import { requestIdOf } from '../middleware/open-request.ts'
import { AdmissionQueue } from './admission-queue.ts'
import { Connection, type ServerSocket } from './connection.ts'
import { isHead, type ParserError, parserError, rawErrorResponse } from './parser-error.ts'
import { originForm } from './request-target.ts'
import { shutDown } from './shut-down.ts'

/** The limits of the server. */
export interface ServerLimits {
  /** Of request line and headers together; more is 431. Default: 16 KiB. */
  readonly maxHeaderBytes: number
  /** For the headers to arrive; later is 408. Default: 10 s. */
  readonly headersTimeoutMs: number
  /** For the whole request to arrive; later is 408. Default: 30 s. */
  readonly requestTimeoutMs: number
  /** How often these two are checked. Default: 1 s. */
  readonly checkIntervalMs: number
  /** How long an idle connection stays open. Default: 75 s. */
  readonly keepAliveTimeoutMs: number
  /** How many connections may be open; a further one is closed at once. Default: 10,000. */
  readonly maxConnections: number
  /** How long a connection may make no progress while its response is produced or sent. Default: 60 s. */
  readonly stallTimeoutMs: number
}

/** Node's defaults fit no API. */
const LIMITS: ServerLimits = {
  maxHeaderBytes: 16 * 1024,
  headersTimeoutMs: 10_000,
  requestTimeoutMs: 30_000,
  checkIntervalMs: 1_000,
  // Longer than the 60 s of usual load balancers, so that an idle connection is closed by them and not by us.
  keepAliveTimeoutMs: 75_000,
  // Each takes some 20 KiB, so that all of them fit a container of 512 MB.
  maxConnections: 10_000,
  // For clients that do not read. Longer than the timeouts that have a response, and than any work of the service.
  stallTimeoutMs: 60_000,
}

export interface PetServerOptions extends Partial<ServerLimits> {
  /** The same as for the app, for the client's address in log lines. Default: none. */
  readonly trustProxy?: TrustProxy
  /** The same as for the app: how many requests may be under way before connections are read in turn. Default: unlimited. */
  readonly maxConcurrentRequests?: number
}

/** A `node:http` server that can stop without breaking off a request. */
export interface PetServer extends Server {
  /** Stops listening, sends the responses to all requests that have arrived, and resolves when every connection is closed. */
  shutDown(): Promise<void>
}

/**
 * Creates an HTTP server for the app. Requests of a connection are handled one after another, and errors that Node
 * responds to by itself get the error body and a log line. Does not listen yet.
 */
export function createPetServer(app: RequestListener, log: HttpLog, options: PetServerOptions = {}): PetServer {
  const { trustProxy = 0, maxConcurrentRequests = Number.POSITIVE_INFINITY, ...limits } = { ...LIMITS, ...options }
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
  // A client that has sent everything and closed its side still gets its responses.
  Object.assign(server, { httpAllowHalfOpen: true })
  const connections = handleConnections(
    server,
    app,
    unroutedLog(log, clientAddressOf(trustProxy)),
    limits.maxHeaderBytes,
    new AdmissionQueue(maxConcurrentRequests),
  )
  return Object.assign(server, { shutDown: () => shutDown(server, connections) })
}

/** Logs a request that the app did not see. Without `req` where it could not be parsed. */
type UnroutedLog = (error: HttpError, requestId: string, socket: Duplex, req?: IncomingMessage) => void

/** Connects the events of the server with the app. Returns the open connections. */
function handleConnections(
  server: Server,
  app: RequestListener,
  logUnrouted: UnroutedLog,
  maxHeaderBytes: number,
  admission: AdmissionQueue,
): ReadonlyMap<Duplex, Connection> {
  const connections = new Map<Duplex, Connection>()
  server.on('connection', (socket: ServerSocket) => {
    connections.set(socket, new Connection(socket, admission))
    socket.once('close', () => connections.delete(socket))
  })

  const onRequest = (req: IncomingMessage, res: ServerResponse) => {
    // Express parses targets with Node's retired `url.parse`, which takes `/v1/pets#x` for a path of the API.
    req.url = originForm(req.url)
    connections.get(req.socket)?.add(req, res, app)
  }
  const reject = (res: ServerResponse, error: HttpError) => {
    const requestId = requestIdOf(res.req.headers['x-request-id'])
    logUnrouted(error, requestId, res.req.socket, res.req)
    rejectUnrouted(res, error, requestId)
  }
  const fail = (socket: Duplex, error: HttpError, requestId: string, hasBody: boolean, req?: IncomingMessage) =>
    connections.get(socket)?.fail({
      error,
      rawResponse: rawErrorResponse(error, requestId, hasBody),
      onRawSent: () => logUnrouted(error, requestId, socket, req),
      reject: (res) => reject(res, error),
    })
  server.on('request', onRequest)
  // Without a listener Node sends `100 Continue` at once. Here `readJsonBody` sends it.
  server.on('checkContinue', onRequest)
  server.on('checkExpectation', (req, res) => {
    const error = new HttpError('expectation_failed', 'The only possible expectation is 100-continue.')
    connections.get(req.socket)?.add(req, res, () => reject(res, error))
  })
  server.on('connect', (req, socket) => {
    // Node no longer listens to this socket. Without a listener a reset would end the process.
    socket.on('error', () => socket.destroy())
    const error = new HttpError('not_found', 'This is not a proxy.')
    fail(socket, error, requestIdOf(req.headers['x-request-id']), true, req)
  })
  server.on('clientError', (cause: ParserError, socket) => {
    fail(socket, parserError(cause, maxHeaderBytes), requestIdOf(undefined), !isHead(cause))
  })
  return connections
}

function rejectUnrouted(res: ServerResponse, error: HttpError, requestId: string): void {
  res.shouldKeepAlive = false
  res.setHeader('X-Request-Id', requestId)
  res.setHeader('Cache-Control', 'no-store')
  sendError(res, error)
}

function unroutedLog(log: HttpLog, addressOf: ClientAddress): UnroutedLog {
  return (error, requestId, socket, req) => {
    log.begin?.()
    const clientAddress =
      req === undefined ? (socket as Partial<IncomingMessage['socket']>).remoteAddress : addressOf(req)
    log.request({
      requestId,
      status: ERROR_STATUS[error.code],
      code: error.code,
      durationMs: 0,
      isComplete: true,
      ...(req?.method !== undefined && { method: req.method }),
      ...(clientAddress !== undefined && { clientAddress }),
    })
  }
}
