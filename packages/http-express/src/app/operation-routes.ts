import type { RequestHandler, Router } from 'express'
import { unknownPath } from '../http/http-error.ts'
import { allowedWith, rejectMethod, sendOptions } from '../http/methods.ts'
import type { Check, Handler } from '../http/response.ts'
import { requireScope } from '../middleware/require-key.ts'
import type { Operation } from '../openapi/describe-operations.ts'
import { OPERATIONS, type Operations } from '../pets/operations.ts'
import type { PetHandlers } from '../pets/pet-handlers.ts'

/** The base path of the operations. */
export const BASE = '/v1'

const DECLARED = Object.entries(OPERATIONS) as [keyof Operations, Operation][]

/** The methods that any operation has, for CORS. */
export const METHODS: readonly string[] = allowedWith([...new Set(DECLARED.map(([, { method }]) => method))]).split(
  ', ',
)

const DEPRECATED: ReadonlySet<string> = new Set(
  DECLARED.filter(([, { deprecated }]) => deprecated).map(
    ([, { method, path }]) => `${method.toUpperCase()} ${routeOf(path)}`,
  ),
)

/** Whether a request, by its method and the route's name in logs and metrics, is for a deprecated operation. */
export function isDeprecated(method: string, route: string): boolean {
  return DEPRECATED.has(`${method === 'HEAD' ? 'GET' : method} ${route}`)
}

/** Every response that the operations declare, as logs and metrics name it. */
export const DECLARED_RESPONSES: readonly {
  readonly method: string
  readonly route: string
  readonly status: string
}[] = DECLARED.flatMap(([, { method, path, responses }]) =>
  Object.keys(responses)
    .filter((status) => status !== 'default')
    .map((status) => ({ method: method.toUpperCase(), route: routeOf(path), status })),
)

/**
 * Adds a route for each path of the declared operations: its operations, OPTIONS, and 405 for other methods. All of
 * them, and unknown paths under `/v1`, are behind the key check and the limits; each operation requires its scope.
 * Responses of deprecated operations carry `deprecation`.
 */
export function addOperationRoutes(
  router: Router,
  handlers: PetHandlers,
  requireKey: Check,
  limits: readonly Check[],
  deprecation: readonly string[],
): void {
  const checksOf = (isDeprecatedRoute = false) => [
    requireKey,
    ...(isDeprecatedRoute ? [addHeaders(deprecation)] : []),
    ...limits,
  ]
  for (const path of new Set(DECLARED.map(([, operation]) => operation.path))) {
    const declared = DECLARED.filter(([, operation]) => operation.path === path)
    const route = router.route(routeOf(path).replace(/\{(\w+)\}/g, ':$1'))
    for (const [name, { method, scope, deprecated }] of declared) {
      const checks = [nameRoute(routeOf(path)), ...checksOf(deprecated), requireScope(scope)]
      route[method](behind(checks, handlers[name]))
    }
    const allow = allowedWith(declared.map(([, { method }]) => method))
    const checks = [nameRoute(routeOf(path)), ...checksOf(declared.every(([, { deprecated }]) => deprecated))]
    route.options(behind(checks, sendOptions(allow))).all(behind(checks, rejectMethod(allow)))
  }
  router.use(
    BASE,
    behind(checksOf(), () => {
      throw unknownPath()
    }),
  )
}

function behind(checks: readonly Check[], handler: Handler<never>): RequestHandler {
  return checked(checks, handler as Handler) as RequestHandler
}

/**
 * A handler that runs after its checks, in their order. A check is a plain function that returns or throws; for Express
 * each would be a layer with a `next` to call.
 */
function checked(checks: readonly Check[], handler: Handler): Handler {
  return (req, res, next) => {
    for (let index = 0; index < checks.length; index += 1) {
      const pending = checks[index]?.(req, res)
      if (pending !== undefined) return pending.then(() => checked(checks.slice(index + 1), handler)(req, res, next))
    }
    return handler(req, res, next)
  }
}

function routeOf(path: string): string {
  return `${BASE}${path}`
}

/** Tells logs and metrics the route, by its template. */
function nameRoute(route: string): Check {
  return (_req, res) => {
    res.locals.route = route
  }
}

function addHeaders(headers: readonly string[]): Check {
  return (_req, res) => {
    res.locals.headers.push(...headers)
  }
}
