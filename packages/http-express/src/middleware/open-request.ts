import { randomUUID } from 'node:crypto'
import type { ClientAddress } from '../http/client-address.ts'
import { type Handler, type HandlerRequest, type HandlerResponse, RequestContext } from '../http/handler.ts'
import { HttpError } from '../http/http-error.ts'
import type { HttpLog } from '../http/http-log.ts'

/** Printable ASCII, at most 128 characters; anything else could break a log line or a header. */
const SAFE_REQUEST_ID = /^[\x20-\x7e]{1,128}$/

/** The request's own `X-Request-Id` where it is safe to repeat, else a new UUID. */
export function requestIdOf(sent: string | string[] | undefined): string {
  return typeof sent === 'string' && SAFE_REQUEST_ID.test(sent) ? sent : randomUUID()
}

/** Gives each request its id, its log line and the headers of every response. The first middleware. */
export function openRequest(log: HttpLog, headers: readonly string[], addressOf: ClientAddress): Handler {
  // One function for all requests: a closure for each costs more than `this`.
  function logClosed(this: HandlerResponse): void {
    const { requestId, route, startedAt, verifiedKey, clientAddress } = this.locals
    log.request({
      requestId,
      method: this.req.method,
      route,
      status: this.statusCode,
      durationMs: performance.now() - startedAt,
      keyId: verifiedKey?.keyId,
      clientAddress,
      isComplete: this.writableFinished,
    })
  }

  return (req, res, next) => {
    log.begin?.()
    // Read now: a closed connection has no address any more.
    res.locals = new RequestContext(requestIdOf(req.headers['x-request-id']), addressOf(req), headers)
    res.on('close', logClosed)
    expectOneHost(req)
    next()
  }
}

/** RFC 9112, 3.2. `createPetServer` turns off the check in Node, whose response would lack the error body. */
function expectOneHost(req: HandlerRequest): void {
  let hosts = 0
  for (let index = 0; index < req.rawHeaders.length; index += 2) {
    const name = req.rawHeaders[index]
    if (name?.length === 4 && name.toLowerCase() === 'host') hosts += 1
  }
  if (hosts === 1 || (hosts === 0 && req.httpVersion === '1.0')) return
  throw new HttpError('invalid_request', 'The request must have exactly one Host header.', { Connection: 'close' })
}
