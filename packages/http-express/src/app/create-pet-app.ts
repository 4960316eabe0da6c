import type { PetUseCases } from '@pet-store/domain'
import { sendOptions } from '../http/methods.ts'
import { allowOrigins } from '../middleware/allow-origins.ts'
import { limitConcurrency } from '../middleware/limit-concurrency.ts'
import type { HttpLog, TrustProxy } from '../middleware/open-request.ts'
import { limitRate, type RateLimiting, requireKey, type TokenCheck } from '../middleware/require-key.ts'
import { deprecationHeaders } from '../pets/operations.ts'
import { type Clock, petHandlers, referencesFrom } from '../pets/pet-handlers.ts'
import { addDescriptionRoutes } from '../routes/description-route.ts'
import { addHealthRoutes, type ReadinessCheck } from '../routes/health-routes.ts'
import { addPageRoutes } from '../routes/page-routes.ts'
import { createHttpApp, type HttpApp } from './create-http-app.ts'
import { addOperationRoutes, BASE, METHODS } from './operation-routes.ts'

/** What the app needs from outside. */
export interface PetAppOptions {
  readonly pets: PetUseCases
  readonly tokenCheck: TokenCheck
  /** Called for each request without a key, which `tokenCheck` never sees. */
  readonly onMissingKey?: () => void
  /** How many requests each key may make. Default: unlimited. */
  readonly rateLimiting?: RateLimiting
  /** How many requests with a valid key may be under way; more wait for up to a second, then get 503. Default: unlimited. */
  readonly maxConcurrentRequests?: number
  readonly now: Clock
  readonly log: HttpLog
  readonly readiness: ReadinessCheck
  /** A key that the reference page fills in: only for a service that only this machine can reach. */
  readonly developmentKey?: string | undefined
  /** The address that clients use, without `/v1` or a slash at its end; makes references absolute. */
  readonly publicUrl?: string | undefined
  /** Origins whose web pages may call the service, or `*`. Default: none. */
  readonly corsOrigins?: readonly string[]
  /** The proxies whose `X-Forwarded-For` is trusted: their number, or their addresses. Default: none. */
  readonly trustProxy?: TrustProxy
}

/**
 * The interface document: the request log, then the operations behind the key check, then the routes without a key, then
 * the error handler. It does not listen; see `createPetServer`.
 */
export function createPetApp(options: PetAppOptions): HttpApp {
  const { publicUrl, corsOrigins = [], rateLimiting, maxConcurrentRequests } = options
  const references = referencesFrom(publicUrl)
  const limits = [
    ...(maxConcurrentRequests === undefined ? [] : [limitConcurrency(maxConcurrentRequests)]),
    ...(rateLimiting === undefined ? [] : [limitRate(rateLimiting)]),
  ]
  return createHttpApp(options, (router) => {
    // Not for the pages: the reference page can hold a key, which no other origin may read.
    if (corsOrigins.length > 0) router.use([BASE, '/openapi.json'], allowOrigins(corsOrigins, METHODS))
    addOperationRoutes(router, {
      handlers: petHandlers(options.pets, options.now, references),
      checkKey: requireKey(options.tokenCheck, options.onMissingKey),
      limits,
      deprecation: deprecationHeaders(references.docs),
    })
    // What `createPetServer` makes of `OPTIONS *`.
    router.options(/^\/\*$/, sendOptions(METHODS))
    addHealthRoutes(router, options.readiness)
    addDescriptionRoutes(router)
    addPageRoutes(router, options)
  })
}
