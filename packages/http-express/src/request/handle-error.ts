import { isPetError, type PetErrorCode } from '@pet-store/domain'
import { CONTEXT, type HandlerResponse } from '../response/context.ts'
import { type ErrorCode, HttpError, INTERNAL_ERROR } from '../response/http-error.ts'
import { sendError } from '../response/response.ts'
import { databaseUnavailable } from '../response/unavailable.ts'
import type { ErrorHandler } from './handler.ts'
import type { HttpLog } from './http-log.ts'

/** The code on the wire for each error of the domain. The compiler reports one that is missing. */
const CODES = {
  pet_invalid: 'invalid_request',
  pet_query_invalid: 'invalid_request',
  pet_not_found: 'not_found',
  idempotency_key_reused: 'idempotency_key_reused',
  persistence_unavailable: 'service_unavailable',
} as const satisfies Record<PetErrorCode, ErrorCode>

/**
 * Sends the error response for anything that was thrown: a known error, or 500 with one fixed
 * sentence, in which case the log gets the error. Must be registered last.
 */
export function handleError(log: HttpLog): ErrorHandler {
  // Express recognises an error handler by its four parameters.
  return (error, _req, res, _next) => {
    const known = httpErrorOf(error, res)
    const { requestId } = res[CONTEXT]
    const isUnavailable = isPetError(error) && error.code === 'persistence_unavailable'
    // The client has left, so the write was cancelled, and no response can be sent.
    if (res.destroyed && isUnavailable) return
    // `createPetServer` has sent a response already, because the rest of the body was not valid
    // HTTP.
    if (res.writableEnded && isHeadersSent(error)) return
    if (known === undefined) log.internalError(error, requestId)
    else if (isUnavailable) log.unavailable?.(error, requestId)
    if (res.headersSent) {
      // Part of the response was sent. Only closing the connection tells the client that the rest
      // is missing.
      if (!res.writableEnded) res.destroy()
      return
    }
    sendError(res, known ?? new HttpError('internal_error', INTERNAL_ERROR))
  }
}

function httpErrorOf(error: unknown, res: HandlerResponse): HttpError | undefined {
  if (error instanceof HttpError) return error
  // An error of another copy of the domain may have a code that is not in this table.
  if (!isPetError(error) || !Object.hasOwn(CODES, error.code)) return undefined
  if (error.code === 'persistence_unavailable') return databaseUnavailable(res, error.outcome)
  return new HttpError(CODES[error.code], error.message)
}

function isHeadersSent(error: unknown): boolean {
  return (error as NodeJS.ErrnoException | undefined)?.code === 'ERR_HTTP_HEADERS_SENT'
}
