import type { Express, RequestHandler } from 'express'
import { type Check, checked, type Handler } from '../http/handler.ts'
import { unknownPath } from '../http/http-error.ts'
import { allowedWith, rejectMethod, sendOptions } from '../http/methods.ts'
import type { Operation } from '../openapi/describe-operations.ts'
import { OPERATIONS, type Operations } from '../pets/operations.ts'
import type { PetHandlers } from '../pets/pet-handlers.ts'

/** The base path of the operations. */
export const BASE = '/v1'

/** What a request passes before its operation. */
export interface OperationChecks {
  /** Bounds the requests under way; absent without a bound. */
  readonly limitConcurrency?: Check | undefined
  /** Verifies the API key. */
  readonly requireKey: Check
  /** Counts the requests of the key; absent without a limit. */
  readonly limitRate?: Check | undefined
}

const DECLARED = Object.entries(OPERATIONS) as [keyof Operations, Operation][]

/** The methods that any operation has, for CORS. */
export const METHODS: readonly string[] = allowedWith([...new Set(DECLARED.map(([, { method }]) => method))]).split(
  ', ',
)

/** The routes of deprecated operations, by their names in logs and metrics. */
export const DEPRECATED_ROUTES: ReadonlySet<string> = new Set(
  DECLARED.filter(([, { deprecated }]) => deprecated).map(([, { path }]) => routeOf(path)),
)

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
 * them, and unknown paths under `/v1`, are behind the checks. Responses of deprecated paths carry `deprecation`.
 */
export function addOperationRoutes(
  app: Express,
  handlers: PetHandlers,
  { limitConcurrency, requireKey, limitRate }: OperationChecks,
  deprecation: readonly string[],
): void {
  const keyChecks = [...(limitConcurrency === undefined ? [] : [limitConcurrency]), requireKey]
  const rateChecks = limitRate === undefined ? [] : [limitRate]
  for (const path of new Set(DECLARED.map(([, operation]) => operation.path))) {
    const declared = DECLARED.filter(([, operation]) => operation.path === path)
    const isDeprecated = declared.every(([, { deprecated }]) => deprecated)
    const checks = [
      nameRoute(routeOf(path)),
      ...keyChecks,
      ...(isDeprecated ? [addHeaders(deprecation)] : []),
      ...rateChecks,
    ]
    const behindChecks = (handler: Handler<never>) => checked(checks, handler as Handler) as RequestHandler
    const allow = allowedWith(declared.map(([, { method }]) => method))
    const route = app.route(routeOf(path).replace(/\{(\w+)\}/g, ':$1'))
    for (const [name, { method }] of declared) route[method](behindChecks(handlers[name]))
    route.options(behindChecks(sendOptions(allow))).all(behindChecks(rejectMethod(allow)))
  }
  const rejectPath: Handler = () => {
    throw unknownPath()
  }
  app.use(BASE, checked([...keyChecks, ...rateChecks], rejectPath))
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
