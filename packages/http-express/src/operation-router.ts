import { type RequestHandler, Router } from 'express'
import { answerOptions, refuseMethod } from './methods.ts'
import { nameRoute } from './name-route.ts'
import type { Operation, PathParameters } from './operation.ts'
import { OPERATIONS, type Operations } from './operations.ts'

/** What each declared operation does; one that is missing, or not declared, does not compile. */
export type Handlers = {
  readonly [Name in keyof Operations]: RequestHandler<PathParameters<Operations[Name]['path']>>
}

/**
 * The declared operations as Express routes; each path also has its OPTIONS and its refusal of other methods.
 * Every answer of a path with nothing but deprecated operations is marked.
 */
export function operationRouter(markDeprecated: RequestHandler, handlers: Handlers): Router {
  // Paths are exact: case matters, and a slash at the end names something else.
  const router = Router({ caseSensitive: true, strict: true })
  const declared = Object.entries(OPERATIONS) as [keyof Operations, Operation][]
  for (const path of new Set(declared.map(([, operation]) => operation.path))) {
    const operations = declared.filter(([, operation]) => operation.path === path)
    const route = router.route(path.replace(/\{(\w+)\}/g, ':$1')).all(nameRoute(routeOf(path)))
    if (operations.every(([, { deprecated }]) => deprecated)) route.all(markDeprecated)
    for (const [name, { method }] of operations) route[method](handlers[name] as RequestHandler)
    const allow = allowed(operations.map(([, { method }]) => method))
    route.options(answerOptions(allow)).all(refuseMethod(allow))
  }
  return router
}

/** The routes of deprecated operations, as they are named in log lines and metrics. */
export const DEPRECATED_ROUTES: ReadonlySet<string> = new Set(
  (Object.values(OPERATIONS) as Operation[]).filter(({ deprecated }) => deprecated).map(({ path }) => routeOf(path)),
)

function routeOf(path: string): string {
  return `/v1${path}`
}

/** HEAD is possible wherever GET is, OPTIONS everywhere. */
function allowed(methods: readonly Operation['method'][]): string {
  const names = methods.flatMap((method) => (method === 'get' ? ['GET', 'HEAD'] : [method.toUpperCase()]))
  return [...names, 'OPTIONS'].join(', ')
}
