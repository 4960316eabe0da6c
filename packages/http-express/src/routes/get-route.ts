import type { IRouter } from 'express'
import { allowedWith, rejectMethod, sendOptions } from '../checks/methods.ts'
import { forExpress, type Handler } from '../request/handler.ts'
import { CONTEXT } from '../response/context.ts'

/** The methods of a path that has only GET. HEAD comes with GET, and every path has OPTIONS. */
const GET_METHODS = allowedWith(['get'])

/**
 * Adds a route with GET, HEAD and OPTIONS, which needs no key. Logs and metrics call the route
 * `name` (default: its path).
 */
export function addGetRoute(
  app: IRouter,
  path: string,
  handler: Handler,
  name: string = path,
): void {
  const setRoute: Handler = (_req, res, next) => {
    res[CONTEXT].route = name
    next()
  }
  app
    .route(path)
    .all(forExpress(setRoute))
    .get(forExpress(handler))
    .options(forExpress(sendOptions(GET_METHODS)))
    .all(forExpress(rejectMethod(GET_METHODS)))
}
