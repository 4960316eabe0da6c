import type { IncomingMessage, ServerResponse } from 'node:http'
import { HttpError } from '../response/http-error.ts'
import { closeAfter } from '../response/response.ts'

/**
 * Asserts that a proxy cannot read the request in another way: exactly one valid `Host`, at most
 * one of each field that may be sent once, and no transfer coding but `chunked`. Else 400 or 501.
 */
export function assertFraming(req: IncomingMessage, res: ServerResponse): void {
  assertFields(req, res)
  const encoding = req.headers['transfer-encoding']
  if (encoding !== undefined) assertChunked(req, res, encoding)
}

/** One host name or address, with or without a port; it may be empty (RFC 9112, 3.2). */
const HOST = /^(?:(?:[\w.~!$&'()*+;=%-]+|\[[\da-f:.]+\])(?::\d*)?)?$/i

/** Whether a text is one host name or address, with or without a port. */
export function isHost(text: string): boolean {
  return HOST.test(text)
}

/**
 * Asserts exactly one valid `Host`. (`createPetServer` turns Node's own check off, because its
 * response would lack the error body.) Also asserts that fields that may be sent once are not
 * repeated: Node reads the first one, a proxy may read another.
 */
function assertFields(req: IncomingMessage, res: ServerResponse): void {
  // Adapters for serverless platforms may fill `headers` but not `rawHeaders`.
  const { rawHeaders = [], headers, httpVersion } = req
  const { host } = headers
  let hosts = rawHeaders.length === 0 && host !== undefined ? 1 : 0
  let keys = 0
  let types = 0
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] as string
    // Comparing the lengths first is enough for most names.
    if (name.length === 4 && name.toLowerCase() === 'host') hosts += 1
    else if (name.length === 13 && name.toLowerCase() === 'authorization') keys += 1
    else if (name.length === 12 && name.toLowerCase() === 'content-type') types += 1
  }
  // Only HTTP/2 has it: no field of HTTP/1 has a name that begins with a colon.
  const authority = headers[':authority']
  if (!isHostValid(hosts, host, httpVersion, authority) && !isWithoutHost(hosts, req))
    throw malformed(
      res,
      'The request must have exactly one Host header, of the form host or host:port.',
    )
  if (keys > 1) throw malformed(res, 'Authorization must be sent once.')
  if (types > 1) throw malformed(res, 'Content-Type must be sent once.')
}

/**
 * HTTP/2 sends the host as `:authority`; a `Host` in addition must have the same value (RFC 9113,
 * 8.3.1).
 */
function isHostValid(
  hosts: number,
  host: string | undefined,
  httpVersion: string,
  authority: string | string[] | undefined,
): boolean {
  if (typeof authority === 'string')
    return HOST.test(authority) && (hosts === 0 || host === authority)
  if (hosts === 0) return httpVersion === '1.0'
  return hosts === 1 && host !== undefined && HOST.test(host)
}

/** Whether the request never had a `Host`, as those made of a `Request` of the Fetch standard. */
function isWithoutHost(hosts: number, { socket }: Partial<IncomingMessage>): boolean {
  return hosts === 0 && !socket
}

/** A transfer coding: a name, with or without parameters (RFC 9112, 7). */
const CODING = /^[\w!#$%&'*+.^`|~-]+(?:[ \t]*;[^,]*)?$/

/**
 * Asserts no transfer coding but `chunked` (RFC 9112, 6.1). Node's parser has asserted that
 * `chunked` is the last one.
 */
function assertChunked(
  { httpVersion }: IncomingMessage,
  res: ServerResponse,
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

/** The 400 of a request whose end is uncertain, after which the connection must close. */
function malformed(res: ServerResponse, message: string): HttpError {
  closeAfter(res)
  return new HttpError('invalid_request', message)
}
