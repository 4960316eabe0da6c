import { HttpError } from './error-answer.ts'
import type { Handler } from './handler.ts'
import { sendAnswer } from './send-answer.ts'

/** Answers OPTIONS with what a path can do (RFC 9110, 9.3.7). */
export function answerOptions(allow: string): Handler {
  return (_req, res) => {
    sendAnswer(res, 204, { Allow: allow })
  }
}

/** Refuses every method that no handler before it took. */
export function refuseMethod(allow: string): Handler {
  return (req) => {
    throw new HttpError('method_not_allowed', `${req.method} is not possible here. Possible: ${allow}.`, {
      Allow: allow,
    })
  }
}
