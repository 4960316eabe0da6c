import type { Router } from 'express'
import { unknownPath } from '../http/http-error.ts'
import { allowedWith, rejectMethod, sendOptions } from '../http/methods.ts'
import type { Check, Handler } from '../http/response.ts'
import { requireScope } from '../middleware/require-key.ts'
import { OPERATIONS, type OperationName } from '../pets/operations.ts'
import type { PetHandlers } from '../pets/pet-handlers.ts'

export const BASE = '/v1'

const DECLARED = Object.entries(OPERATIONS).map(([name, operation]) => ({
  ...operation,
  name: name as OperationName,
  template: `${BASE}${operation.path}`,
}))

/** The methods that any operation has, for CORS and for the service as a whole. */
export const METHODS: string = allowedWith([...new Set(DECLARED.map(({ method }) => method))])

/** The declared operations as logs and metrics name them, with the statuses that they declare. */
export const DECLARED_ROUTES: readonly {
  readonly method: string
  readonly route: string
  readonly isDeprecated: boolean
  readonly statuses: readonly string[]
}[] = DECLARED.map(({ method, template, deprecated = false, responses }) => ({
  method: method.toUpperCase(),
  route: template,
  isDeprecated: deprecated,
  statuses: Object.keys(responses).filter((status) => status !== 'default'),
}))

interface OperationChecks {
  readonly handlers: PetHandlers
  readonly checkKey: Check
  readonly limits: readonly Check[]
  /** The headers of every response of a deprecated operation, and of OPTIONS and 405 on its path, once the key is checked. */
  readonly deprecation: readonly string[]
}

/**
 * Adds a route for each path of the declared operations: its operations, OPTIONS, and 405 for other methods. All of
 * them, and unknown paths under `/v1`, are behind the key check and the limits; each operation requires its scope.
 */
export function addOperationRoutes(router: Router, { handlers, checkKey, limits, deprecation }: OperationChecks): void {
  const addDeprecation: Check = (_req, res) => void res.locals.headers.push(...deprecation)
  for (const template of new Set(DECLARED.map((operation) => operation.template))) {
    const declared = DECLARED.filter((operation) => operation.template === template)
    const checksOf = (isDeprecated = false): Check[] => [
      (_req, res) => {
        res.locals.route = template
      },
      checkKey,
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
  const rejectPath = () => {
    throw unknownPath()
  }
  router.use(BASE, behind([checkKey, ...limits], rejectPath))
}

/**
 * A handler that runs after its checks, in their order. A check is a plain function that returns or throws; for Express
 * each would be a layer with a `next` to call.
 */
function behind(checks: readonly Check[], handler: Handler): Handler {
  return (req, res, next) => {
    for (let index = 0; index < checks.length; index += 1) {
      const pending = checks[index]?.(req, res)
      if (pending !== undefined) return pending.then(() => behind(checks.slice(index + 1), handler)(req, res, next))
    }
    return handler(req, res, next)
  }
}
