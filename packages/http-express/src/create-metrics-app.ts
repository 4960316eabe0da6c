import express, { type Express } from 'express'
import { answerError, answerUnknownPath } from './answer-error.ts'
import { clientAddressOf } from './client-address.ts'
import type { HttpLog } from './http-log.ts'
import { answerOptions, refuseMethod } from './methods.ts'
import { openRequest } from './open-request.ts'
import { securityHeaders } from './security-headers.ts'
import { sendAnswer } from './send-answer.ts'

/** Metrics as a scraper reads them. */
export interface MetricsText {
  readonly contentType: string
  read(): Promise<string>
}

const METHODS = 'GET, HEAD, OPTIONS'

/** The metrics of the program as an Express app, for a listener that only its operators reach; no key needed. */
export function createMetricsApp({ contentType, read }: MetricsText, log: HttpLog): Express {
  const app = express()
  app.disable('x-powered-by')
  app.enable('case sensitive routing')
  app.enable('strict routing')
  app.use(openRequest(log, securityHeaders(undefined), clientAddressOf(0)))
  app
    .route('/metrics')
    .get(async (_req, res) => {
      const text = await read()
      sendAnswer(res, 200, { 'Content-Type': contentType, 'Content-Length': Buffer.byteLength(text) }, text)
    })
    .options(answerOptions(METHODS))
    .all(refuseMethod(METHODS))
  app.use(answerUnknownPath)
  app.use(answerError(log))
  return app
}
