import { CONTEXT } from '../response/context.ts'
import { hasLeft, onceLeft } from '../response/response-left.ts'
import type { ClientAddress } from './client-address.ts'
import { assertFraming } from './framing.ts'
import type { Handler } from './handler.ts'
import { createRequestLog, type HttpLog } from './http-log.ts'
import { requestIdOf } from './request-id.ts'
import { decodableTarget } from './request-target.ts'

/**
 * Gives each request its context, with its id and the headers of every response, and makes sure
 * that it is logged. Must be the first middleware. `headers` is a flat list: a name, its value, the
 * next name and so on.
 */
export function openRequest(
  log: HttpLog,
  headers: readonly string[],
  addressOf: ClientAddress,
): Handler {
  const logRequest = createRequestLog(log)

  return (req, res, next) => {
    log.begin?.()
    const requestId = requestIdOf(req.headers['x-request-id'])
    // Must be read now, because a closed connection has no address.
    const clientAddress = addressOf(req)
    res[CONTEXT] = {
      req,
      requestId,
      clientAddress,
      startedAt: performance.now(),
      headers: ['X-Request-Id', requestId, 'Cache-Control', 'no-store', ...headers],
      verifiedKey: undefined,
      route: undefined,
      write: undefined,
      hasBegun: false,
      errorCode: undefined,
      aborted: false,
    }
    onceLeft(res, logRequest)
    // The client may have left while a middleware of an app around this one was at work.
    if (hasLeft(res)) return
    assertFraming(req, res)
    // `createPetServer` has done this already; other servers have not.
    if (req.url.includes('%')) req.url = decodableTarget(req.url)
    next()
  }
}
