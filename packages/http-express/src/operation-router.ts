import { type RequestHandler, Router } from 'express'
import { enterRoute } from './enter-route.ts'
import type { Handler } from './handler.ts'
import { answerOptions, refuseMethod } from './methods.ts'
import type { Operation } from './operation.ts'
import type { OperationSteps } from './operation-steps.ts'
import { OPERATIONS, type Operations } from './operations.ts'

/** Where the operations are. */
export const BASE = '/v1'

/** The declared operations as Express routes; each path also has its OPTIONS and its refusal of other methods. */
export function operationRouter({ operations: handlers, limit, deprecation }: OperationSteps): Router {
  // Paths are exact: case matters, and a slash at the end names something else.
  const router = Router({ caseSensitive: true, strict: true })
  const declared = Object.entries(OPERATIONS) as [keyof Operations, Operation][]
  for (const path of new Set(declared.map(([, operation]) => operation.path))) {
    const operations = declared.filter(([, operation]) => operation.path === path)
    const route = router.route(path.replace(/\{(\w+)\}/g, ':$1')).all(enterOperation(path, deprecation), ...limit)
    for (const [name, { method }] of operations) route[method](handlers[name] as RequestHandler)
    const allow = allowed(operations.map(([, { method }]) => method))
    route.options(answerOptions(allow)).all(refuseMethod(allow))
  }
  // What names nothing counts as well.
  for (const step of limit) router.use(step)
  return router
}

/** The first step on the path of an operation. Every answer of a path with deprecated operations alone says so. */
export function enterOperation(path: string, deprecation: readonly string[]): Handler {
  const operations = (Object.values(OPERATIONS) as Operation[]).filter((operation) => operation.path === path)
  return enterRoute(routeOf(path), operations.every(({ deprecated }) => deprecated) ? deprecation : [])
}

/** The routes of deprecated operations, as they are named in log lines and metrics. */
export const DEPRECATED_ROUTES: ReadonlySet<string> = new Set(
  (Object.values(OPERATIONS) as Operation[]).filter(({ deprecated }) => deprecated).map(({ path }) => routeOf(path)),
)

function routeOf(path: string): string {
  return `${BASE}${path}`
}

/** HEAD is possible wherever GET is, OPTIONS everywhere. */
function allowed(methods: readonly Operation['method'][]): string {
  const names = methods.flatMap((method) => (method === 'get' ? ['GET', 'HEAD'] : [method.toUpperCase()]))
  return [...names, 'OPTIONS'].join(', ')
}
