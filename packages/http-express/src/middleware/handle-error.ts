import { isPetError, type PetErrorCode } from '@pet-store/domain'
import { type ErrorCode, HttpError, INTERNAL_ERROR } from '../http/http-error.ts'
import {
  type ErrorHandler,
  type HandlerRequest,
  type HandlerResponse,
  isWritten,
  sendError,
} from '../http/response.ts'
import type { HttpLog } from './open-request.ts'

/**
 * The code on the wire for each error of the domain. A new error does not compile until it has a
 * row.
 */
const CODES = {
  pet_invalid: 'invalid_request',
  pet_query_invalid: 'invalid_request',
  pet_not_found: 'not_found',
  idempotency_key_reused: 'idempotency_key_reused',
  persistence_unavailable: 'service_unavailable',
} as const satisfies Record<PetErrorCode, ErrorCode>

/** Sends an error response for whatever was thrown. Registered last. */
export function handleError(log: HttpLog): ErrorHandler {
  // Express recognises an error handler by its four parameters.
  return (error, req, res, _next) => {
    const known = httpErrorOf(error, req, res)
    const isUnavailable = isPetError(error) && error.code === 'persistence_unavailable'
    // Nobody waits for the response: the write was dropped because its client has left.
    if (res.destroyed && isUnavailable) return
    // The server has responded for the route, because the rest of the body was not valid HTTP.
    if (
      isWritten(res) &&
      (error as NodeJS.ErrnoException | undefined)?.code === 'ERR_HTTP_HEADERS_SENT'
    )
      return
    if (known === undefined) log.internalError(error, res.locals.requestId)
    else if (isUnavailable) log.unavailable?.(error, res.locals.requestId)
    if (res.headersSent) {
      // Part of the response was sent. Closing the connection is the only way to say that the rest
      // is missing.
      if (!isWritten(res)) res.destroy()
      return
    }
    sendError(res, known ?? new HttpError('internal_error', INTERNAL_ERROR))
  }
}

function httpErrorOf(
  error: unknown,
  req: HandlerRequest,
  res: HandlerResponse,
): HttpError | undefined {
  if (error instanceof HttpError) return error
  // Another copy of the domain may have codes that this table lacks.
  if (!isPetError(error) || !Object.hasOwn(CODES, error.code)) return undefined
  if (error.code !== 'persistence_unavailable')
    return new HttpError(CODES[error.code], error.message)
  const mayBeAdded = error.outcome !== 'not_stored' && res.locals.isWriting
  const reason = 'the service cannot reach its database at present'
  const message = mayBeAdded ? maybeAdded(req) : notAdded(req, reason)
  return new HttpError(CODES[error.code], message, { 'Retry-After': '2' })
}

/**
 * Why a request got 503 before anything was written. With an `Idempotency-Key` nothing is said of
 * the pet: an earlier request with the same key may have added it.
 */
export function notAdded({ method, headers }: HandlerRequest, reason: string): string {
  if (method === 'POST' && headers['idempotency-key'] === undefined)
    return `The pet was not added: ${reason}.`
  const sentence = `${reason.replace('the', 'The')}.`
  if (method !== 'POST') return sentence
  return `${sentence} An earlier request with the same Idempotency-Key may have added the pet: repeat it with that key to find out.`
}

/** Without an outcome it is unknown: never say that a stored pet is not. */
function maybeAdded({ headers }: HandlerRequest): string {
  const remedy =
    headers['idempotency-key'] === undefined
      ? 'a request with an Idempotency-Key could be repeated to find out.'
      : 'repeat the request with the same Idempotency-Key to find out.'
  return `The pet may have been added; ${remedy}`
}
