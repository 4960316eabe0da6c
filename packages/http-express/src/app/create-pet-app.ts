import type { IncomingMessage, ServerResponse } from 'node:http'
import type { PetUseCases } from '@pet-store/domain'
import { type NextFunction, type Request, type Response, Router } from 'express'
import { HttpError } from '../http/http-error.ts'
import { allowedWith, rejectMethod, sendOptions } from '../http/methods.ts'
import type { Check, Handler } from '../http/response.ts'
import { allowOrigins } from '../middleware/allow-origins.ts'
import { handleError } from '../middleware/handle-error.ts'
import { limitConcurrency } from '../middleware/limit-concurrency.ts'
import {
  clientAddressOf,
  type HttpLog,
  openRequest,
  type TrustProxy,
} from '../middleware/open-request.ts'
import {
  limitRate,
  type RateLimiting,
  requireKey,
  requireScope,
  type TokenCheck,
} from '../middleware/require-key.ts'
import { BASE, DECLARED_OPERATIONS, deprecationHeaders, METHODS } from '../pets/operations.ts'
import { petHandlers, type References, referencesFrom } from '../pets/pet-handlers.ts'
import { addDescriptionRoutes } from '../routes/description-route.ts'
import { addHealthRoutes, type ReadinessCheck } from '../routes/health-routes.ts'
import { addPageRoutes, type PageOptions } from '../routes/page-routes.ts'

/**
 * A request handler: for `createPetServer`, or for `use` of an Express app. Responds to every
 * request.
 */
export type HttpApp = (req: IncomingMessage, res: ServerResponse, next?: NextFunction) => void

export interface PetAppOptions extends PageOptions {
  readonly pets: PetUseCases
  readonly tokenCheck: TokenCheck
  /** How many requests each key may make. Default: unlimited. */
  readonly rateLimiting?: RateLimiting
  /**
   * How many requests with a valid key may be under way; more wait for up to a second, then get
   * 503. Default: unlimited.
   */
  readonly maxConcurrentRequests?: number
  /** Returns the current time, so that tests can run in 2030. Default: the clock of the system. */
  readonly now?: () => Date
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
 * The interface document: the request log, then the operations behind the key check, then the
 * routes without a key, then the error handler. It does not listen; see `createPetServer`.
 *
 * A router, because `express()` around it would give each request and response another prototype,
 * for methods that nothing here uses: docs/decisions/0033-hot-path.md
 */
export function createPetApp(options: PetAppOptions): HttpApp {
  const { log, publicUrl, corsOrigins = [], trustProxy = 0 } = options
  const router = Router({ caseSensitive: true, strict: true })
  router.use(openRequest(log, securityHeaders(publicUrl), clientAddressOf(trustProxy)))
  // Not for the pages: the reference page can hold a key, which no other origin may read.
  if (corsOrigins.length > 0)
    router.use([BASE, '/openapi.json'], allowOrigins(corsOrigins, METHODS))
  addOperationRoutes(router, options, referencesFrom(publicUrl))
  // What `createPetServer` makes of `OPTIONS *`.
  router.options(/^\/\*$/, sendOptions(METHODS))
  addHealthRoutes(router, options.readiness)
  addDescriptionRoutes(router)
  addPageRoutes(router, options)
  router.use(rejectPath)
  router.use(handleError(log))
  return (req, res, next = () => res.destroy()) => router(req as Request, res as Response, next)
}

/**
 * Adds a route for each path of the declared operations: its operations, OPTIONS, and 405 for other
 * methods. All of them, and unknown paths under `/v1`, are behind the key check and the limits;
 * each operation requires its scope.
 */
function addOperationRoutes(router: Router, options: PetAppOptions, references: References): void {
  const { pets, tokenCheck, maxConcurrentRequests, rateLimiting, now = () => new Date() } = options
  const handlers = petHandlers(pets, now, references)
  const checkKey = requireKey(tokenCheck)
  const limits = [
    ...(maxConcurrentRequests === undefined ? [] : [limitConcurrency(maxConcurrentRequests)]),
    ...(rateLimiting === undefined ? [] : [limitRate(rateLimiting)]),
  ]
  const deprecation = deprecationHeaders(references.docs)
  const addDeprecation: Check = (_req, res) => void res.locals.headers.push(...deprecation)

  for (const template of new Set(DECLARED_OPERATIONS.map((operation) => operation.template))) {
    const declared = DECLARED_OPERATIONS.filter((operation) => operation.template === template)
    const checksOf = (isDeprecated = false): Check[] => [
      (_req, res) => {
        res.locals.route = template
      },
      checkKey,
      // On every response once the key is checked, of OPTIONS and 405 on the path too.
      ...(isDeprecated ? [addDeprecation] : []),
      ...limits,
    ]
    const route = router.route(template.replace(/\{(\w+)\}/g, ':$1'))
    for (const { name, method, scope, deprecated } of declared) {
      route[method](behind([...checksOf(deprecated), requireScope(scope)], handlers[name]))
    }
    const allow = allowedWith(declared.map(({ method }) => method))
    const checks = checksOf(declared.some(({ deprecated }) => deprecated))
    route.options(behind(checks, sendOptions(allow))).all(behind(checks, rejectMethod(allow)))
  }
  router.use(BASE, behind([checkKey, ...limits], rejectPath))
}

/**
 * A handler that runs after its checks, in their order. A check is a plain function that returns or
 * throws; for Express each would be a layer with a `next` to call. None runs once the client has
 * gone: `close`, for which they wait, is over.
 */
function behind(checks: readonly Check[], handler: Handler): Handler {
  return (req, res, next) => {
    for (let index = 0; index < checks.length; index += 1) {
      const pending = checks[index]?.(req, res)
      if (pending === undefined) continue
      const rest = behind(checks.slice(index + 1), handler)
      return pending.then(() => (res.destroyed ? undefined : rest(req, res, next)))
    }
    return handler(req, res, next)
  }
}

function rejectPath(): never {
  throw new HttpError('not_found', 'There is nothing at this path.')
}

/**
 * Names and values in turn: nothing is loaded, nothing is framed, and the content is what its type
 * says.
 */
function securityHeaders(publicUrl: string | undefined): readonly string[] {
  return [
    ...['Content-Security-Policy', "default-src 'none';frame-ancestors 'none'"],
    ...['Referrer-Policy', 'no-referrer'],
    ...['X-Content-Type-Options', 'nosniff'],
    // It binds the whole host, so it is sent only where https is known to work, and not for
    // subdomains.
    ...(publicUrl?.startsWith('https:') ? ['Strict-Transport-Security', 'max-age=31536000'] : []),
  ]
}
