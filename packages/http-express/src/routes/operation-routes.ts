import type { IRouter } from 'express'
import { allowedWith, rejectMethod, rejectPath, sendOptions } from '../checks/methods.ts'
import { requireScope } from '../checks/scope.ts'
import type { Operation, OperationParts } from '../operations/operation.ts'
import { BASE, OPERATIONS_BY_ROUTE } from '../operations/operations.ts'
import { deprecationHeaders } from '../operations/removal.ts'
import { type Check, forExpress, type Handler } from '../request/handler.ts'
import { holdBody } from '../request/hold-body.ts'
import { CONTEXT } from '../response/context.ts'

/**
 * Adds a route for each path of the operations, with its operations, OPTIONS, and 405 for other
 * methods. All of these, and unknown paths under `/v1`, come after the key check and the limits,
 * and each operation requires its scope.
 */
export function addOperationRoutes(
  router: IRouter,
  parts: OperationParts,
  checkKey: Check,
  limits: readonly Check[],
): void {
  const deprecation = deprecationHeaders(parts.references.docs)
  const addDeprecation: Check = (_req, res) => void res[CONTEXT].headers.push(...deprecation)

  for (const [template, operations] of OPERATIONS_BY_ROUTE) {
    const checksOf = (isDeprecated: boolean, write?: Operation): Check[] => [
      open(template, write),
      checkKey,
      // Every response after the key check has these headers; those to OPTIONS and 405s too.
      ...(isDeprecated ? [addDeprecation] : []),
      ...limits,
    ]
    const route = router.route(template.replace(/\{(\w+)\}/g, ':$1'))
    for (const operation of operations) {
      const checks = checksOf(operation.sunset !== undefined, operation)
      const handler = behind(
        [...checks, requireScope(operation.scope), begin],
        operation.createHandler(parts),
      )
      route[operation.method](forExpress(handler))
    }
    const allow = allowedWith(operations.map(({ method }) => method))
    const checks = checksOf(isDeprecatedPath(operations))
    route
      .options(forExpress(behind(checks, sendOptions(allow))))
      .all(forExpress(behind(checks, rejectMethod(allow))))
  }
  router.use(BASE, forExpress(behind([checkKey, ...limits], rejectPath)))
}

/**
 * Returns a handler that first runs the checks, in their order. They are plain functions that
 * return or throw, which costs less than a layer of Express with a `next` for each.
 */
function behind(checks: readonly Check[], handler: Handler): Handler {
  return (req, res, next) => {
    for (let index = 0; index < checks.length; index += 1) {
      const pending = checks[index]?.(req, res)
      if (pending === undefined) continue
      const rest = behind(checks.slice(index + 1), handler)
      // If the client has left meanwhile, nothing more is done.
      return pending
        .finally(holdBody(req))
        .then(() => (res.destroyed ? undefined : rest(req, res, next)))
    }
    return handler(req, res, next)
  }
}

/**
 * Whether responses to OPTIONS and 405s on a path say that it is deprecated: only if all of its
 * operations are, because the header is about the resource (RFC 9745).
 */
export function isDeprecatedPath(operations: readonly Operation[]): boolean {
  return operations.every(({ sunset }) => sunset !== undefined)
}

/** From here on the operation may write, so a 503 may have to say that its outcome is unknown. */
const begin: Check = (_req, res) => {
  res[CONTEXT].hasBegun = true
}

/** Adds the route, and what a 503 says about an operation that writes, to the context. */
function open(route: string, operation: Operation | undefined): Check {
  const write = operation !== undefined && 'on503' in operation ? operation.on503 : undefined
  return (_req, res) => {
    const context = res[CONTEXT]
    context.route = route
    context.write = write
  }
}
