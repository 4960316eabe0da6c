import type { IncomingMessage, ServerResponse } from 'node:http'
import { HttpError } from '../response/http-error.ts'
import { closeAfter } from '../response/response.ts'

/**
 * Asserts that it is certain where the request begins and ends and whom it is for: exactly one
 * valid `Host`, no repeated field that counts once, no transfer coding but `chunked`.
 */
export function assertFraming(req: IncomingMessage, res: ServerResponse): void {
  assertFields(req, res)
  const encoding = req.headers['transfer-encoding']
  if (encoding !== undefined) assertChunked(req, res, encoding)
}

/**
 * A host name or address, perhaps with a port; it may be empty (RFC 9112, 3.2). A list is more than
 * one host.
 */
const HOST = /^(?:(?:[\w.~!$&'()*+;=%-]+|\[[\da-f:.]+\])(?::\d*)?)?$/i

/** Whether a text is the host of a request: a host name or address, perhaps with a port. */
export function isHost(text: string): boolean {
  return HOST.test(text)
}

/**
 * Asserts exactly one valid `Host`, which `createPetServer` turns off in Node, whose response would
 * lack the error body; and that fields are not repeated which count once: Node takes the first one,
 * a proxy may read another.
 */
function assertFields(
  { rawHeaders, headers, httpVersion }: IncomingMessage,
  res: ServerResponse,
): void {
  const { host } = headers
  // Adapters of serverless platforms may give the fields without their raw form.
  let hosts = rawHeaders.length === 0 && host !== undefined ? 1 : 0
  let keys = 0
  let types = 0
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] as string
    // Most names are told apart by their lengths.
    if (name.length === 4 && name.toLowerCase() === 'host') hosts += 1
    else if (name.length === 13 && name.toLowerCase() === 'authorization') keys += 1
    else if (name.length === 12 && name.toLowerCase() === 'content-type') types += 1
  }
  const authority = httpVersion === '2.0' ? headers[':authority'] : undefined
  if (!isHostValid(hosts, host, httpVersion, authority))
    throw malformed(
      res,
      'The request must have exactly one Host header, of the form host or host:port.',
    )
  if (keys > 1) throw malformed(res, 'authorization must be sent once.')
  if (types > 1) throw malformed(res, 'content-type must be sent once.')
}

/** HTTP/2 has the host in `:authority`; a `Host` beside it must be the same (RFC 9113, 8.3.1). */
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

/** A transfer coding: a name, perhaps with parameters (RFC 9112, 7). */
const CODING = /^[\w!#$%&'*+.^`|~-]+(?:[ \t]*;[^,]*)?$/

/**
 * Asserts no transfer coding but `chunked` (RFC 9112, 6.1). The parser has found that `chunked` is
 * the last one.
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

/** For requests whose framing is in doubt, so the connection must close. */
function malformed(res: ServerResponse, message: string): HttpError {
  closeAfter(res)
  return new HttpError('invalid_request', message)
}
