import { addGetRoute } from '../http/methods.ts'
import { sendResponse } from '../http/response.ts'
import { clientAddressOf, type HttpLog } from '../middleware/open-request.ts'
import { securityHeaders } from '../middleware/security-headers.ts'
import { createExpressApp, type ExpressApp } from './create-express-app.ts'

/** Metrics in the text format of Prometheus. */
export interface MetricsText {
  readonly contentType: string
  read(): Promise<string>
}

/** `/metrics` as an Express router, for a listener that only operators can reach; no key needed. */
export function createMetricsApp({ contentType, read }: MetricsText, log: HttpLog): ExpressApp {
  return createExpressApp({
    log,
    headers: securityHeaders(undefined),
    addressOf: clientAddressOf(0),
    addRoutes: (router) =>
      addGetRoute(router, '/metrics', async (_req, res) => {
        sendResponse(res, 200, { 'Content-Type': contentType }, await read())
      }),
  })
}
