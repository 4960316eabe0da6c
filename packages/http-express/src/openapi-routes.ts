import { Router } from 'express'
import { enterRoute } from './enter-route.ts'
import { answerOptions, refuseMethod } from './methods.ts'
import { OPENAPI_JSON } from './openapi.ts'
import { sendJson } from './send-answer.ts'

const METHODS = 'GET, HEAD, OPTIONS'

/** The description of the service, for people's tools; no key needed. */
export function openApiRoutes(): Router {
  const router = Router({ caseSensitive: true, strict: true })
  router
    .route('/openapi.json')
    .all(enterRoute('/openapi.json'))
    .get((_req, res) => sendJson(res, 200, OPENAPI_JSON))
    .options(answerOptions(METHODS))
    .all(refuseMethod(METHODS))
  return router
}
