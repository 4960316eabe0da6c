import { IncomingMessage, ServerResponse } from 'node:http'
import express, { type Express, type Request, type Response } from 'express'
import type { ClientAddress } from '../http/client-address.ts'
import { unknownPath } from '../http/http-error.ts'
import type { HttpLog } from '../http/http-log.ts'
import { handleError } from '../middleware/handle-error.ts'
import { openRequest } from '../middleware/open-request.ts'

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
  // Work that no response of ours needs.
  app.disable('x-powered-by')
  app.disable('etag')
  app.disable('query parser')
  // Express would swap the prototypes of each request and response for its own, which costs 7 to 10% of the CPU time of a
  // request: V8 treats both as slow objects from then on. No handler uses what they add.
  app.request = IncomingMessage.prototype as Request
  app.response = ServerResponse.prototype as Response
  app.use(openRequest(log, headers, addressOf))
  addRoutes(app)
  app.use(() => {
    throw unknownPath()
  })
  app.use(handleError(log))
  return app
}
