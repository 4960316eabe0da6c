import type { PetUseCases } from '@pet-store/domain'
import express, { type Express } from 'express'
import { answerError, answerUnknownPath } from './answer-error.ts'
import type { Clock } from './deprecation.ts'
import { healthRoutes, type ReadinessCheck } from './health-routes.ts'
import type { HttpLog } from './http-log.ts'
import { placeholderDescription } from './openapi-placeholder.ts'
import { pageRoutes } from './page-routes.ts'
import { petRoutes } from './pet-routes.ts'
import { openRequest } from './request-context.ts'
import { requireBearer, type TokenCheck } from './require-bearer.ts'

/** What the app needs from outside. */
export interface PetAppOptions {
  readonly pets: PetUseCases
  readonly tokenCheck: TokenCheck
  readonly now: Clock
  readonly log: HttpLog
  readonly isReady: ReadinessCheck
  /** A key that the reference page uses unasked: only for a service that this machine alone can reach. */
  readonly developmentKey?: string | undefined
}

/** The interface document as an Express app. Listening is left to the caller; see `createPetServer`. */
export function createPetApp(options: PetAppOptions): Express {
  const app = express()
  app.disable('x-powered-by')
  app.enable('case sensitive routing')
  app.enable('strict routing')
  app.use(openRequest(options.log))
  app.use('/v1', requireBearer(options.tokenCheck), petRoutes(options.pets, options.now))
  app.use(placeholderDescription())
  app.use(pageRoutes(options))
  app.use(healthRoutes(options.isReady))
  app.use(answerUnknownPath)
  app.use(answerError(options.log))
  return app
}
