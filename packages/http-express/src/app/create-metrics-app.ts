import { addGetRoute } from '../http/methods.ts'
import { sendResponse } from '../http/response.ts'
import type { HttpLog } from '../middleware/open-request.ts'
import { createHttpApp, type HttpApp } from './create-pet-app.ts'

export interface MetricsText {
  readonly contentType: string
  read(): Promise<string>
}

/** `/metrics`, in the text format of Prometheus, for a listener that only operators can reach; no key needed. */
export function createMetricsApp({ contentType, read }: MetricsText, log: HttpLog): HttpApp {
  return createHttpApp({ log }, (router) =>
    addGetRoute(router, '/metrics', async (_req, res) => {
      sendResponse(res, 200, { 'Content-Type': contentType }, await read())
    }),
  )
}
