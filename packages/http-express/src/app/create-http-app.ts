import type { IncomingMessage, ServerResponse } from 'node:http'
import { type NextFunction, Router } from 'express'
import { unknownPath } from '../http/http-error.ts'
import { addGetRoute } from '../http/methods.ts'
import { sendResponse } from '../http/response.ts'
import { handleError } from '../middleware/handle-error.ts'
import { clientAddressOf, type HttpLog, openRequest, type TrustProxy } from '../middleware/open-request.ts'

/** A request handler: for `createPetServer`, or for `use` of an Express app. Responds to every request. */
export type HttpApp = (req: IncomingMessage, res: ServerResponse, next?: NextFunction) => void

interface HttpAppOptions {
  readonly log: HttpLog
  readonly publicUrl?: string | undefined
  readonly trustProxy?: TrustProxy
}

/**
 * The request log first, then the routes, then 404 and the error handler. A router, because `express()` around it would
 * give each request and response another prototype, for methods that nothing here uses: docs/decisions/0033-hot-path.md
 */
export function createHttpApp(
  { log, publicUrl, trustProxy = 0 }: HttpAppOptions,
  addRoutes: (router: Router) => void,
): HttpApp {
  const router = Router({ caseSensitive: true, strict: true })
  router.use(openRequest(log, securityHeaders(publicUrl), clientAddressOf(trustProxy)))
  addRoutes(router)
  router.use(() => {
    throw unknownPath()
  })
  router.use(handleError(log))
  return (req, res, next = () => res.destroy()) => router(req as never, res as never, next)
}

/** Names and values in turn: nothing is loaded, nothing is framed, and the content is what its type says. */
function securityHeaders(publicUrl: string | undefined): readonly string[] {
  return [
    ...['Content-Security-Policy', "default-src 'none';frame-ancestors 'none'"],
    ...['Referrer-Policy', 'no-referrer'],
    ...['X-Content-Type-Options', 'nosniff'],
    // It binds the whole host, so it is sent only where https is known to work, and not for subdomains.
    ...(publicUrl?.startsWith('https:') ? ['Strict-Transport-Security', 'max-age=31536000'] : []),
  ]
}

/** Metrics in the text format of Prometheus. */
export interface MetricsText {
  readonly contentType: string
  read(): Promise<string>
}

/** `/metrics`, for a listener that only operators can reach; no key needed. */
export function createMetricsApp({ contentType, read }: MetricsText, log: HttpLog): HttpApp {
  return createHttpApp({ log }, (router) =>
    addGetRoute(router, '/metrics', async (_req, res) => {
      sendResponse(res, 200, { 'Content-Type': contentType }, await read())
    }),
  )
}
