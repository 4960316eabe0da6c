import { CONTEXT } from '../response/context.ts'
import { hasLeft, onceLeft } from '../response/response-left.ts'
import type { ClientAddress } from './client-address.ts'
import { assertFraming } from './framing.ts'
import type { Handler } from './handler.ts'
import { createRequestLog, type HttpLog } from './http-log.ts'
import { requestIdOf } from './request-id.ts'
import { decodableTarget } from './request-target.ts'

/**
 * Gives each request its context: its id, its log line and the headers of every response. The first
 * middleware. `headers` is a flat list: a name, its value, the next name.
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
    // Read now: a closed connection has no address.
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
      isWriting: false,
      errorCode: undefined,
      aborted: false,
    }
    onceLeft(res, logRequest)
    // The client has left while a middleware in front was at work.
    if (hasLeft(res)) return
    assertFraming(req, res)
    // Where another server than `createPetServer` is in front.
    if (req.url.includes('%')) req.url = decodableTarget(req.url)
    next()
  }
}
