import type { RequestHandler } from 'express'
import { HttpError } from './error-answer.ts'

/** Answers OPTIONS with what a path can do (RFC 9110, 9.3.7). */
export function answerOptions(allow: string): RequestHandler {
  return (_req, res) => {
    res.writeHead(204, { Allow: allow }).end()
  }
}

/** Refuses every method that no handler before it took. */
export function refuseMethod(allow: string): RequestHandler {
  return (req) => {
    throw new HttpError('method_not_allowed', `${req.method} is not possible here. Possible: ${allow}.`, {
      Allow: allow,
    })
  }
}
