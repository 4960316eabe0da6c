import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import proxyAddr from 'proxy-addr'
import { type ErrorCode, HttpError } from '../http/http-error.ts'
import {
  closeAfter,
  type Handler,
  type HandlerResponse,
  RequestContext,
  sentAtMs,
} from '../http/response.ts'

/** Where the app reports what happened. Never called with a key, a header or a body. */
export interface HttpLog {
  /** A request has arrived; `request` follows when it ends. */
  begin?(): void
  /** A request has ended: the response was sent, or the connection broke. */
  request(entry: RequestEntry): void
  /** An internal error, whose cause is not in the response. */
  internalError(error: unknown, requestId: string): void
  /**
   * Persistence was unavailable for this request, which got 503: the state of another system, not
   * an error of this one.
   */
  unavailable?(error: Error, requestId: string): void
}

export interface RequestEntry {
  readonly requestId: string
  /** Absent where the request could not be parsed. */
  readonly method?: string | undefined
  /** The route's template, so that lines can be counted; absent for unknown paths. */
  readonly route?: string | undefined
  /** Absent when the connection broke before all of the response was sent. */
  readonly status: number | undefined
  readonly code?: ErrorCode | undefined
  readonly durationMs: number
  /** The public id of the verified API key, never the key itself. */
  readonly keyId?: string | undefined
  /** Where the request came from: the connection's address, or what trusted proxies forwarded. */
  readonly clientAddress?: string | undefined
  /** False when the connection broke before all of the response was sent. */
  readonly isComplete: boolean
}

/** Printable ASCII, at most 128 characters; anything else could break a log line or a header. */
const SAFE_REQUEST_ID = /^[\x20-\x7e]{1,128}$/

/** The request's own `X-Request-Id` where it is safe to repeat, else a new UUID. */
export function requestIdOf(sent: string | string[] | undefined): string {
  return typeof sent === 'string' && SAFE_REQUEST_ID.test(sent) ? sent : randomUUID()
}

/**
 * Gives each request its id, its log line and the headers of every response. The first middleware.
 */
export function openRequest(
  log: HttpLog,
  headers: readonly string[],
  addressOf: ClientAddress,
): Handler {
  // One function for all requests: a closure for each costs more than `this`.
  function logClosed(this: HandlerResponse): void {
    const { requestId, route, startedAt, verifiedKey, clientAddress, errorCode } = this.locals
    const sentAt = sentAtMs(this)
    const isComplete = sentAt !== undefined
    log.request({
      requestId,
      method: this.req.method,
      route,
      status: isComplete ? this.statusCode : undefined,
      code: errorCode,
      durationMs: (sentAt ?? performance.now()) - startedAt,
      keyId: verifiedKey?.keyId,
      clientAddress,
      isComplete,
    })
  }

  return (req, res, next) => {
    log.begin?.()
    // Read now: a closed connection has no address.
    const outer = res.locals
    res.locals = new RequestContext(
      requestIdOf(req.headers['x-request-id']),
      addressOf(req),
      headers,
    )
    // What the middleware of an app around this one has put there.
    for (const name in outer)
      if (!(name in res.locals)) Object.assign(res.locals, { [name]: Reflect.get(outer, name) })
    res.on('close', logClosed)
    assertFields(req, res)
    const encoding = req.headers['transfer-encoding']
    if (encoding !== undefined) assertChunked(req, res, encoding)
    next()
  }
}

/** The number of proxies in front, or their addresses and networks; Express's `trust proxy`. */
export type TrustProxy = number | readonly string[]

export type ClientAddress = (req: IncomingMessage) => string | undefined

/**
 * The address of the connection, or the one that the trusted proxies give in `X-Forwarded-For`;
 * without a port.
 */
export function clientAddressOf(trustProxy: TrustProxy): ClientAddress {
  if (trustProxy === 0) return (req) => req.socket.remoteAddress
  const isInNetworks =
    typeof trustProxy === 'number' ? () => false : proxyAddr.compile([...trustProxy])
  const isTrusted = (address: string, hop: number) =>
    typeof trustProxy === 'number' ? hop < trustProxy : isInNetworks(withoutPort(address), hop)
  // A connection that the client has reset has no address.
  return (req) =>
    req.socket.remoteAddress === undefined ? undefined : withoutPort(proxyAddr(req, isTrusted))
}

/** Some proxies add the port: `192.0.2.1:5678`, `[2001:db8::1]:5678`. */
function withoutPort(address: string): string {
  return address.replace(/^(?:\[([^\]]*)\](?::\d+)?|([^:]*):\d+)$/, '$1$2')
}

/**
 * A host name or address, perhaps with a port; it may be empty (RFC 9112, 3.2). A list is more than
 * one host.
 */
const HOST = /^(?:(?:[\w.~!$&'()*+;=%-]+|\[[\da-f:.]+\])(?::\d*)?)?$/i

/**
 * Asserts exactly one valid `Host`, which `createPetServer` turns off in Node, whose response would
 * lack the error body; and that fields are not repeated which count once: Node takes the first one,
 * a proxy may read another.
 */
function assertFields(
  { rawHeaders, headers: { host }, httpVersion }: IncomingMessage,
  res: HandlerResponse,
): void {
  let [hosts, keys, types] = [0, 0, 0]
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] as string
    // Most names are told apart by their lengths.
    if (name.length === 4 && name.toLowerCase() === 'host') hosts += 1
    else if (name.length === 13 && name.toLowerCase() === 'authorization') keys += 1
    else if (name.length === 12 && name.toLowerCase() === 'content-type') types += 1
  }
  const isHostValid =
    hosts === 0 ? httpVersion === '1.0' : hosts === 1 && host !== undefined && HOST.test(host)
  if (!isHostValid)
    throw malformed(
      res,
      'The request must have exactly one Host header, of the form host or host:port.',
    )
  if (keys > 1) throw malformed(res, 'authorization must be sent once.')
  if (types > 1) throw malformed(res, 'content-type must be sent once.')
}

/** A transfer coding: a name, perhaps with parameters (RFC 9112, 7). */
const CODING = /^[\w!#$%&'*+.^`|~-]+(?:[ \t]*;[^,]*)?$/

/**
 * Asserts no transfer coding but `chunked` (RFC 9112, 6.1). The parser has found that `chunked` is
 * the last one.
 */
function assertChunked(
  { httpVersion }: IncomingMessage,
  res: HandlerResponse,
  encoding: string,
): void {
  const codings = encoding.split(',').map((coding) => coding.trim().toLowerCase())
  const isValid =
    codings.every((coding) => CODING.test(coding)) &&
    codings.indexOf('chunked') === codings.length - 1
  if (!isValid || httpVersion === '1.0') throw malformed(res, 'The Transfer-Encoding is not valid.')
  if (codings.length === 1) return
  closeAfter(res)
  throw new HttpError('not_implemented', 'The only possible Transfer-Encoding is chunked.')
}

/** For requests whose framing is in doubt, so the connection must close. */
function malformed(res: HandlerResponse, message: string): HttpError {
  closeAfter(res)
  return new HttpError('invalid_request', message)
}
