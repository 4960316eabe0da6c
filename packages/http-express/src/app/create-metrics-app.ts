import type { Express } from 'express'
import { addGetRoute } from '../http/methods.ts'
import { sendResponse } from '../http/response.ts'
import { clientAddressOf, type HttpLog } from '../middleware/open-request.ts'
import { securityHeaders } from '../middleware/security-headers.ts'
import { createExpressApp } from './create-express-app.ts'

/** Metrics in the text format of Prometheus. */
export interface MetricsText {
  readonly contentType: string
  read(): Promise<string>
}

/** `/metrics` as an Express app, for a listener that only operators can reach; no key needed. */
export function createMetricsApp({ contentType, read }: MetricsText, log: HttpLog): Express {
  return createExpressApp({
    log,
    headers: securityHeaders(undefined),
    addressOf: clientAddressOf(0),
    addRoutes: (app) =>
      addGetRoute(app, '/metrics', async (_req, res) => {
        sendResponse(res, 200, { 'Content-Type': contentType }, await read())
      }),
  })
}
