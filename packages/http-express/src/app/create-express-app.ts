import type { IncomingMessage, ServerResponse } from 'node:http'
import { type NextFunction, Router } from 'express'
import { unknownPath } from '../http/http-error.ts'
import { handleError } from '../middleware/handle-error.ts'
import { type ClientAddress, type HttpLog, openRequest } from '../middleware/open-request.ts'

/** Routes of Express, for a `node:http` server or, with `use`, for another Express app. Responds to every request. */
export type ExpressApp = (req: IncomingMessage, res: ServerResponse, next?: NextFunction) => void

/** What every app of this package has around its routes. */
interface ExpressAppOptions {
  readonly log: HttpLog
  /** Headers of every response, names and values in turn. */
  readonly headers: readonly string[]
  readonly addressOf: ClientAddress
  readonly addRoutes: (router: Router) => void
}

/**
 * The request log first, then the routes, then 404 and the error handler. A router, because `express()` around it would
 * give each request and response another prototype, for methods that nothing here uses: docs/decisions/0033-hot-path.md
 */
export function createExpressApp({ log, headers, addressOf, addRoutes }: ExpressAppOptions): ExpressApp {
  const router = Router({ caseSensitive: true, strict: true })
  router.use(openRequest(log, headers, addressOf))
  addRoutes(router)
  router.use(() => {
    throw unknownPath()
  })
  router.use(handleError(log))
  return (req, res, next = () => res.destroy()) => router(req as never, res as never, next)
}
