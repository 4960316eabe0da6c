import type { RequestHandler } from 'express'

/** Tells the log and the metrics which route a request has taken, by its template. */
export function nameRoute(route: string): RequestHandler {
  return (_req, res, next) => {
    res.locals.route = route
    next()
  }
}
