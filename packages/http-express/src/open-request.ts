import { randomUUID } from 'node:crypto'
import type { ClientAddress } from './client-address.ts'
import { HttpError } from './error-answer.ts'
import type { Handler, HandlerRequest, HandlerResponse } from './handler.ts'
import type { HttpLog } from './http-log.ts'
import { RequestContext } from './request-context.ts'

/** Printable ASCII, at most 128 characters; anything else could break a log line or a header. */
const SANE_REQUEST_ID = /^[\x20-\x7e]{1,128}$/

/** The request's own `X-Request-Id` where it is sane, else a new UUID. */
export function requestIdOf(sent: string | string[] | undefined): string {
  return typeof sent === 'string' && SANE_REQUEST_ID.test(sent) ? sent : randomUUID()
}

/** Gives each request its id, its log line and the headers that every answer carries. Registered first. */
export function openRequest(log: HttpLog, headers: readonly string[], addressOf: ClientAddress): Handler {
  // One function for all requests: it finds what it needs in the response that closes.
  function logClosed(this: HandlerResponse): void {
    const { requestId, route, begunAt, caller, clientAddress } = this.locals
    log.request({
      requestId,
      method: this.req.method,
      route,
      status: this.statusCode,
      durationMs: performance.now() - begunAt,
      keyId: caller?.keyId,
      clientAddress,
      isComplete: this.writableFinished,
    })
  }

  return (req, res, next) => {
    log.begin?.()
    // The address is asked for now: a connection that has broken off knows it no more.
    res.locals = new RequestContext(requestIdOf(req.headers['x-request-id']), addressOf(req), headers)
    res.on('close', logClosed)
    expectOneHost(req)
    next()
  }
}

/** RFC 9112, 3.2. Our server tells Node not to look for Host, because Node would refuse without the error body. */
function expectOneHost(req: HandlerRequest): void {
  let hosts = 0
  for (let index = 0; index < req.rawHeaders.length; index += 2) {
    const name = req.rawHeaders[index]
    if (name?.length === 4 && name.toLowerCase() === 'host') hosts += 1
  }
  if (hosts === 1 || (hosts === 0 && req.httpVersion === '1.0')) return
  throw new HttpError('invalid_request', 'The request must have exactly one Host header.', { Connection: 'close' })
}
