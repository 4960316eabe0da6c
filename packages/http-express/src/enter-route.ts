import type { Handler } from './handler.ts'

/**
 * Tells the log and the metrics which route a request has taken, by its template. Every answer of the route gets these
 * headers: names and values in turn.
 */
export function enterRoute(route: string, headers: readonly string[] = []): Handler {
  return (_req, res, next) => {
    res.locals.route = route
    res.locals.headers.push(...headers)
    next()
  }
}
