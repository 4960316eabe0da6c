import { Router } from 'express'
import { enterRoute } from './enter-route.ts'
import { HttpError } from './error-answer.ts'
import { answerOptions, refuseMethod } from './methods.ts'
import { sendError, sendJson } from './send-answer.ts'

/** What was looked at, by name, and how it is: `ok`, or in a few words what is wrong. */
export type Checks = Readonly<Record<string, string>>

/** Looks whether the service can do its work at present. Answers in any case, and soon. */
export type ReadinessCheck = () => Promise<Checks>

const METHODS = 'GET, HEAD, OPTIONS'

/** How long a balancer may leave us alone before it asks again, in seconds. */
const ASK_AGAIN = '2'

/** Whether the process lives, and whether it can work. For whoever runs the service; no key needed. */
export function healthRoutes(readiness: ReadinessCheck): Router {
  const router = Router({ caseSensitive: true, strict: true })

  router
    .route('/livez')
    .all(enterRoute('/livez'))
    .get((_req, res) => sendJson(res, 200, JSON.stringify({ status: 'ok' })))
    .options(answerOptions(METHODS))
    .all(refuseMethod(METHODS))

  router
    .route('/readyz')
    .all(enterRoute('/readyz'))
    .get(async (_req, res) => {
      const checks = await readiness()
      const isReady = Object.values(checks).every((state) => state === 'ok')
      if (isReady) return sendJson(res, 200, JSON.stringify({ status: 'ok', checks }))
      // Sent, not thrown: whoever asks is told, and it is no fault of this request.
      const message = `Not ready: ${inWords(checks)}.`
      sendError(res, new HttpError('service_unavailable', message, { 'Retry-After': ASK_AGAIN }))
    })
    .options(answerOptions(METHODS))
    .all(refuseMethod(METHODS))

  return router
}

function inWords(checks: Checks): string {
  return Object.entries(checks)
    .map(([name, state]) => `${name} ${state}`)
    .join(', ')
}
