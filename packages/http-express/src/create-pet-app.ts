import type { PetUseCases } from '@pet-store/domain'
import express, { type Express } from 'express'
import { answerError, answerUnknownPath } from './answer-error.ts'
import type { Clock } from './deprecation.ts'
import { healthRoutes, type ReadinessCheck } from './health-routes.ts'
import type { HttpLog } from './http-log.ts'
import { limitRate, type RateLimiting } from './limit-rate.ts'
import { openApiRoutes } from './openapi-routes.ts'
import { petRoutes } from './pet-routes.ts'
import { openRequest } from './request-context.ts'
import { requireBearer, type TokenCheck } from './require-bearer.ts'

/** What the app needs from outside. */
export interface PetAppOptions {
  readonly pets: PetUseCases
  readonly tokenCheck: TokenCheck
  /** Told of each request without a key, which `tokenCheck` never sees. */
  readonly onMissingKey?: () => void
  /** How often each key may be used; without it, as often as it likes. */
  readonly rateLimiting?: RateLimiting
  readonly now: Clock
  readonly log: HttpLog
  readonly readiness: ReadinessCheck
}

/** The interface document as an Express app. Listening is left to the caller; see `createPetServer`. */
export function createPetApp(options: PetAppOptions): Express {
  const app = express()
  app.disable('x-powered-by')
  app.enable('case sensitive routing')
  app.enable('strict routing')
  app.use(openRequest(options.log))
  app.use('/v1', requireBearer(options.tokenCheck, options.onMissingKey))
  if (options.rateLimiting !== undefined) app.use('/v1', limitRate(options.rateLimiting))
  app.use('/v1', petRoutes(options.pets, options.now))
  app.use(openApiRoutes())
  app.use(healthRoutes(options.readiness))
  app.use(answerUnknownPath)
  app.use(answerError(options.log))
  return app
}
