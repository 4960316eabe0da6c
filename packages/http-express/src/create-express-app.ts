import express, { type Express } from 'express'
import { answerUnknownPath } from './answer-error.ts'
import { allowOrigins } from './cross-origin.ts'
import { healthRoutes } from './health-routes.ts'
import { openApiRoutes } from './openapi-routes.ts'
import { BASE, operationRouter } from './operation-router.ts'
import type { OperationSteps } from './operation-steps.ts'
import { pageRoutes } from './page-routes.ts'
import type { PetAppOptions } from './pet-app-options.ts'

/** Everything that the service answers, as an Express app. */
export function createExpressApp(options: PetAppOptions, steps: OperationSteps): Express {
  const { open, admit, answerError } = steps
  const { corsOrigins = [] } = options
  const app = express()
  app.disable('x-powered-by')
  app.enable('case sensitive routing')
  app.enable('strict routing')
  app.use(open)
  app.use(BASE, ...admit, operationRouter(steps))
  // Not for the pages: the reference page can hold a key, which no other origin may read.
  if (corsOrigins.length > 0) app.use('/openapi.json', allowOrigins(corsOrigins))
  app.use(openApiRoutes())
  app.use(pageRoutes(options))
  app.use(healthRoutes(options.readiness))
  app.use(answerUnknownPath)
  app.use(answerError)
  return app
}
