import { Router } from 'express'
import { answerOptions, refuseMethod } from './methods.ts'
import { nameRoute } from './name-route.ts'
import { OPENAPI_JSON } from './openapi.ts'
import { sendJson } from './send-json.ts'

const METHODS = 'GET, HEAD, OPTIONS'

/** The description of the service, for people's tools; no key needed. */
export function openApiRoutes(): Router {
  const router = Router({ caseSensitive: true, strict: true })
  router
    .route('/openapi.json')
    .all(nameRoute('/openapi.json'))
    .get((_req, res) => sendJson(res, 200, OPENAPI_JSON))
    .options(answerOptions(METHODS))
    .all(refuseMethod(METHODS))
  return router
}
