import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
  STATUS_CODES,
} from 'node:http'
import type { Duplex } from 'node:stream'
import { ERROR_STATUS, type ErrorCode, errorJson, HttpError } from '../http/http-error.ts'
import type { HttpLog } from '../http/http-log.ts'
import { sendError } from '../http/send-response.ts'
import { requestIdOf } from '../middleware/open-request.ts'
import { originForm } from './request-target.ts'

/** How much and how long the server waits for a request. Times are in milliseconds. */
export interface ServerLimits {
  /** Request line and headers together, in bytes; more is 431. */
  readonly maxHeaderSize: number
  /** For the headers to arrive; later is 408. */
  readonly headersTimeout: number
  /** For the whole request to arrive; later is 408. */
  readonly requestTimeout: number
  /** How often the two are looked at. */
  readonly connectionsCheckingInterval: number
  /** How long an idle connection is kept. */
  readonly keepAliveTimeout: number
  /** How long a connection may stand still while its answer is made or sent; then it is dropped. */
  readonly stallTimeout: number
}

/** Node's defaults fit no API. */
const LIMITS: ServerLimits = {
  maxHeaderSize: 16 * 1024,
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  connectionsCheckingInterval: 1_000,
  // Longer than the 60 s of usual load balancers, so that they and not we close an idle connection.
  keepAliveTimeout: 75_000,
  // For clients that do not read their answers. Longer than the two above, which have an answer, and than any work of ours.
  stallTimeout: 60_000,
}

/** How long a client may go on sending after its last answer, so that the answer reaches it. */
const LINGER_MS = 1_000

/**
 * An HTTP server for the app that gives the error body also where Node would answer by itself, and logs those answers.
 * Does not listen yet.
 */
export function createPetServer(app: RequestListener, log: HttpLog, limits: Partial<ServerLimits> = {}): Server {
  const options = { ...LIMITS, ...limits, requireHostHeader: false }
  const latest = new WeakMap<Duplex, ServerResponse>()
  const server = createServer(options, (req, res) => {
    latest.set(req.socket, res)
    // Express reads targets with Node's retired `url.parse`, which takes `/v1/pets#x` for a path of ours.
    req.url = originForm(req.url)
    app(req, res)
  })
  // Node drops headers beyond a number of its own without a word; the limit on their size is limit enough.
  server.maxHeadersCount = 0
  server.setTimeout(options.stallTimeout)
  server.on('checkExpectation', (req, res) => {
    const requestId = requestIdOf(req.headers['x-request-id'])
    refuseExpectation(res, requestId)
    logUnrouted(log, requestId, 'expectation_failed', req)
  })
  server.on('connect', (req, socket) => {
    // Node has let go of this socket; without a listener a reset would end the process.
    socket.on('error', () => socket.destroy())
    const requestId = requestIdOf(req.headers['x-request-id'])
    answerInTurn(socket, latest.get(socket), new HttpError('not_found', 'This is not a proxy.'), requestId, () =>
      logUnrouted(log, requestId, 'not_found', req),
    )
  })
  server.on('clientError', (cause: NodeJS.ErrnoException, socket) => {
    const error = parserError(cause, options.maxHeaderSize)
    const requestId = requestIdOf(undefined)
    answerInTurn(socket, latest.get(socket), error, requestId, () => logUnrouted(log, requestId, error.code))
  })
  return server
}

/** The log line of an answer that the app knows nothing of. */
function logUnrouted(log: HttpLog, requestId: string, code: ErrorCode, req?: IncomingMessage): void {
  log.begin?.()
  log.request({
    requestId,
    status: ERROR_STATUS[code],
    durationMs: 0,
    isComplete: true,
    ...(req?.method !== undefined && { method: req.method }),
  })
}

function refuseExpectation(res: ServerResponse, requestId: string): void {
  res.setHeader('X-Request-Id', requestId)
  res.setHeader('Cache-Control', 'no-store')
  res.setHeader('Connection', 'close')
  sendError(res, new HttpError('expectation_failed', 'The only expectation that can be met is 100-continue.'))
}

/** Answers what never became a request of the app, after the latest one that did, and closes the connection. */
function answerInTurn(
  socket: Duplex,
  response: ServerResponse | undefined,
  error: HttpError,
  requestId: string,
  onAnswered: () => void,
): void {
  const answer = () => {
    if (closeWith(socket, rawErrorResponse(error, requestId))) onAnswered()
  }
  if (response === undefined || (response.req.complete && response.closed)) {
    answer()
  } else if (response.req.complete) {
    // An earlier request on this connection was in order and is still being answered; its answer goes first.
    response.once('close', answer)
  } else if (response.headersSent) {
    // The fault is in the rest of a body that was refused before all of it had come: its one answer is given.
    socket.destroy()
  } else {
    // The fault is in the body of a request that has begun. Its route finds the answer sent when the body breaks off.
    response.setHeader('Connection', 'close')
    sendError(response, error)
  }
}

const closing = new WeakSet<Duplex>()

/** Sends the last answer of a connection where it still can, and closes it when the client has had the time to read it. */
function closeWith(socket: Duplex, answer: string): boolean {
  // The parser reports every further piece of a broken request anew.
  if (closing.has(socket)) return false
  if (!socket.writable) {
    socket.destroy()
    return false
  }
  closing.add(socket)
  socket.end(answer)
  // Closed at once, a connection with unread bytes is reset, and a reset takes the answer along (RFC 9112, 9.6).
  socket.resume()
  const timer = setTimeout(() => socket.destroy(), LINGER_MS)
  socket.once('close', () => clearTimeout(timer))
  return true
}

function parserError(cause: NodeJS.ErrnoException, maxHeaderSize: number): HttpError {
  switch (cause.code) {
    case 'HPE_HEADER_OVERFLOW': {
      const message = `Request line and headers must have at most ${maxHeaderSize} bytes.`
      return new HttpError('headers_too_large', message, {}, { cause })
    }
    case 'HPE_CHUNK_EXTENSIONS_OVERFLOW':
      return new HttpError('payload_too_large', 'The chunk extensions are too long.', {}, { cause })
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return new HttpError('request_timeout', 'The request did not arrive in time.', {}, { cause })
    default:
      return new HttpError('invalid_request', 'The request is not valid HTTP/1.1.', {}, { cause })
  }
}

/** A whole HTTP/1.1 response, for a connection on which Node made no response object. The connection must close after it. */
function rawErrorResponse(error: HttpError, requestId: string): string {
  const status = ERROR_STATUS[error.code]
  const body = errorJson(error)
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    `Date: ${new Date().toUTCString()}`,
    'Connection: close',
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Cache-Control: no-store',
    `X-Request-Id: ${requestId}`,
  ]
  return `${head.join('\r\n')}\r\n\r\n${body}`
}
