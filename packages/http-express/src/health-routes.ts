import { Router } from 'express'
import { HttpError } from './error-answer.ts'
import { answerOptions, refuseMethod } from './methods.ts'
import { sendJson } from './send-json.ts'

/** Rejects, with a reason for the log, when the service can't do its work at present. */
export type ReadinessCheck = () => Promise<void>

const METHODS = 'GET, HEAD, OPTIONS'

/** Whether the process lives, and whether it can work. For whoever runs the service; no key needed. */
export function healthRoutes(isReady: ReadinessCheck): Router {
  const router = Router({ caseSensitive: true, strict: true })

  router
    .route('/livez')
    .get((_req, res) => sendJson(res, 200, JSON.stringify({ status: 'ok' })))
    .options(answerOptions(METHODS))
    .all(refuseMethod(METHODS))

  router
    .route('/readyz')
    .get(async (_req, res) => {
      await isReady().catch((cause) => {
        throw new HttpError(
          'service_unavailable',
          'Not ready: storage does not answer.',
          { 'Retry-After': '5' },
          { cause },
        )
      })
      sendJson(res, 200, JSON.stringify({ status: 'ok', checks: { storage: 'ok' } }))
    })
    .options(answerOptions(METHODS))
    .all(refuseMethod(METHODS))

  return router
}
