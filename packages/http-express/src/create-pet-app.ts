import type { IncomingMessage, ServerResponse } from 'node:http'
import type { PetUseCases } from '@pet-store/domain'
import { type NextFunction, type Request, type Response, Router } from 'express'
import { requireKey, type TokenCheck } from './checks/api-key.ts'
import { allowOrigins } from './checks/cors.ts'
import { rejectPath, sendOptions } from './checks/methods.ts'
import { limitRate, type RateLimiting } from './checks/rate-limit.ts'
import { limitSlots, type RequestQueue } from './checks/slots.ts'
import { BASE, METHODS } from './operations/operations.ts'
import { referencesFrom } from './operations/references.ts'
import { clientAddressOf, type TrustProxy } from './request/client-address.ts'
import { handleError } from './request/handle-error.ts'
import { type Check, errorHandlerForExpress, forExpress } from './request/handler.ts'
import type { HttpLog } from './request/http-log.ts'
import { openRequest } from './request/open-request.ts'
import { securityHeaders } from './response/security-headers.ts'
import { addDescriptionRoutes } from './routes/description-route.ts'
import { addHealthRoutes, type ReadinessCheck } from './routes/health-routes.ts'
import { addOperationRoutes } from './routes/operation-routes.ts'
import { addPageRoutes, type PageOptions } from './routes/page-routes.ts'

/**
 * A request handler that responds to every request: for `createPetServer`, or for `app.use` of an
 * Express app.
 */
export type HttpApp = (req: IncomingMessage, res: ServerResponse, next?: NextFunction) => void

export interface PetAppOptions extends PageOptions {
  readonly pets: PetUseCases
  /** Verifies the API key of every request under `/v1`. */
  readonly tokenCheck: TokenCheck
  /** How many requests each key may make. Default: unlimited. */
  readonly rateLimiting?: RateLimiting
  /**
   * How many requests with a valid key may be under way at the same time; one key may have at most
   * four fifths of them. Further requests wait for up to a second, then get 503. Default:
   * unlimited.
   */
  readonly maxConcurrentRequests?: number
  /** Called once with a function that returns how many requests wait for a slot. */
  readonly onQueue?: (queue: () => RequestQueue) => void
  /** Returns the current time, so that tests can run in 2030. Default: `Date.now`. */
  readonly nowMs?: () => number
  readonly log: HttpLog
  readonly readiness: ReadinessCheck
  /** Origins whose web pages may call the service, or `*`. Default: none. */
  readonly corsOrigins?: readonly string[]
  /**
   * The proxies whose `X-Forwarded-For` is trusted: their number, or their addresses. Default:
   * none.
   */
  readonly trustProxy?: TrustProxy
}

/**
 * Creates the app that serves the interface document. It handles a request in this order: request
 * log, operations after the key check, routes without a key, error handler. It does not listen; see
 * `createPetServer`.
 *
 * The app is a router, because `express()` would give each request and response another prototype,
 * for methods that nothing here uses: docs/decisions/0033-hot-path.md
 */
export function createPetApp(options: PetAppOptions): HttpApp {
  const { pets, log, publicUrl, corsOrigins = [], trustProxy = 0, nowMs = Date.now } = options
  const router = Router({ caseSensitive: true, strict: true })
  const open = openRequest(log, securityHeaders(publicUrl), clientAddressOf(trustProxy))
  router.use(forExpress(open))
  // The pages are left out: the reference page can contain a key, which no other origin may read.
  if (corsOrigins.length > 0)
    router.use([BASE, '/openapi.json'], forExpress(allowOrigins(corsOrigins, METHODS)))
  const parts = { pets, nowMs, references: referencesFrom(publicUrl) }
  addOperationRoutes(router, parts, requireKey(options.tokenCheck), limitsOf(options))
  // `createPetServer` turns `OPTIONS *` into this path.
  router.options(/^\/\*$/, forExpress(sendOptions(METHODS)))
  addHealthRoutes(router, options.readiness)
  addDescriptionRoutes(router)
  addPageRoutes(router, options)
  router.use(rejectPath)
  router.use(errorHandlerForExpress(handleError(log)))
  // Three parameters without a default: h3 and others know by their number that the response may
  // come later.
  return (req, res, next) =>
    router(req as Request, res as Response, next ?? (() => void res.destroy()))
}

/** The limits that are configured, for requests with a valid key. */
function limitsOf({ maxConcurrentRequests, rateLimiting, onQueue }: PetAppOptions): Check[] {
  return [
    // The rate limit comes first, so that a key that has exceeded it takes no slot.
    ...(rateLimiting === undefined ? [] : [limitRate(rateLimiting)]),
    ...(maxConcurrentRequests === undefined ? [] : [limitSlots(maxConcurrentRequests, onQueue)]),
  ]
}
