import type { PetUseCases } from '@pet-store/domain'
import express, { type Express, Router } from 'express'
import { answerError, answerUnknownPath } from './answer-error.ts'
import { allowOrigins } from './cross-origin.ts'
import type { Clock } from './deprecation.ts'
import { healthRoutes, type ReadinessCheck } from './health-routes.ts'
import type { HttpLog } from './http-log.ts'
import { limitRate, type RateLimiting } from './limit-rate.ts'
import { openApiRoutes } from './openapi-routes.ts'
import { pageRoutes } from './page-routes.ts'
import { petRoutes } from './pet-routes.ts'
import { referencesFrom } from './references.ts'
import { openRequest } from './request-context.ts'
import { requireBearer, type TokenCheck } from './require-bearer.ts'
import { securityHeaders } from './security-headers.ts'

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
  /** A key that the reference page uses unasked: only for a service that this machine alone can reach. */
  readonly developmentKey?: string | undefined
  /** The address that clients know the service by, without `/v1` or a slash at its end; makes references absolute. */
  readonly publicUrl?: string | undefined
  /** Origins whose web pages may call the service, or `*`; none unless said. */
  readonly corsOrigins?: readonly string[]
  /** The proxies that are believed about the client's address: their number, or their addresses. None unless said. */
  readonly trustProxy?: TrustProxy
}

/** How many proxies stand in front, or which addresses (and networks) they have; Express's `trust proxy`. */
export type TrustProxy = number | readonly string[]

/** The interface document as an Express app. Listening is left to the caller; see `createPetServer`. */
export function createPetApp(options: PetAppOptions): Express {
  const { publicUrl, corsOrigins = [], trustProxy = 0 } = options
  const app = express()
  app.disable('x-powered-by')
  app.enable('case sensitive routing')
  app.enable('strict routing')
  app.set('trust proxy', trustProxy)
  app.use(openRequest(options.log, securityHeaders(publicUrl), trustProxy !== 0))
  // Not for the pages: the reference page can hold a key, which no other origin may read.
  if (corsOrigins.length > 0) app.use(['/v1', '/openapi.json'], allowOrigins(corsOrigins))
  app.use('/v1', versionOne(options))
  app.use(openApiRoutes())
  app.use(pageRoutes(options))
  app.use(healthRoutes(options.readiness))
  app.use(answerUnknownPath)
  app.use(answerError(options.log))
  return app
}

/** Everything that needs an API key. One router, so that its path is looked at once for each request. */
function versionOne({ tokenCheck, onMissingKey, rateLimiting, pets, now, publicUrl }: PetAppOptions): Router {
  const router = Router({ caseSensitive: true, strict: true })
  router.use(requireBearer(tokenCheck, onMissingKey))
  if (rateLimiting !== undefined) router.use(limitRate(rateLimiting))
  router.use(petRoutes(pets, now, referencesFrom(publicUrl)))
  return router
}
