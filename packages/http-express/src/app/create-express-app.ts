import express, { type Express } from 'express'
import { unknownPath } from '../http/http-error.ts'
import { handleError } from '../middleware/handle-error.ts'
import { type ClientAddress, type HttpLog, openRequest } from '../middleware/open-request.ts'

/** What every app of this package has around its routes. */
interface ExpressAppOptions {
  readonly log: HttpLog
  /** Headers of every response, names and values in turn. */
  readonly headers: readonly string[]
  readonly addressOf: ClientAddress
  readonly addRoutes: (app: Express) => void
}

/** An Express app: the request log first, then the routes, then 404 and the error handler. */
export function createExpressApp({ log, headers, addressOf, addRoutes }: ExpressAppOptions): Express {
  const app = express()
  app.enable('case sensitive routing')
  app.enable('strict routing')
  // Unused features.
  app.disable('x-powered-by')
  app.disable('etag')
  app.disable('query parser')
  app.use(openRequest(log, headers, addressOf))
  addRoutes(app)
  app.use(() => {
    throw unknownPath()
  })
  app.use(handleError(log))
  return app
}
