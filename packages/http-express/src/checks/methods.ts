import type { Handler } from '../request/handler.ts'
import { HttpError } from '../response/http-error.ts'
import { sendResponse } from '../response/response.ts'

export type Method = 'get' | 'post' | 'put' | 'patch' | 'delete'

/** The `Allow` header of a path with these operations (RFC 9110, 10.2.1). */
export function allowedWith(methods: readonly Method[]): string {
  const names = methods.flatMap((method) =>
    method === 'get' ? ['GET', 'HEAD'] : [method.toUpperCase()],
  )
  return [...names, 'OPTIONS'].join(', ')
}

/** Responds to OPTIONS with the methods of the path (RFC 9110, 9.3.7). */
export function sendOptions(allow: string): Handler {
  return (_req, res) => sendResponse(res, 204, { Allow: allow })
}

/** Rejects every method that no earlier handler of the path has taken. */
export function rejectMethod(allow: string): Handler {
  return (req) => {
    const message = `${req.method} is not possible here. Possible: ${allow}.`
    throw new HttpError('method_not_allowed', message, { Allow: allow })
  }
}

/** Rejects a path without a route. */
export function rejectPath(): never {
  throw new HttpError('not_found', 'There is nothing at this path.')
}
