import { isPetError, type PetErrorCode } from '@pet-store/domain'
import { ERROR_STATUS, type ErrorCode, HttpError } from './error-answer.ts'
import type { ErrorHandler, Handler } from './handler.ts'
import type { HttpLog } from './http-log.ts'
import { sendError } from './send-answer.ts'

/** What each domain error becomes on the wire. A new code does not compile until it has a row. */
const ANSWERS = {
  pet_invalid: 'invalid_request',
  pet_query_invalid: 'invalid_request',
  pet_not_found: 'not_found',
  idempotency_key_reused: 'idempotency_key_reused',
  persistence_unavailable: 'service_unavailable',
} as const satisfies Record<PetErrorCode, ErrorCode>

/** The one sentence that a fault of ours says; its cause is in the log under the request id. */
const FAULT = 'Something went wrong on our side. The request id in X-Request-Id names this case in our log.'

/** How long a storage that is away may take to come back, in seconds. */
const TRY_AGAIN = '2'

/** Answers every path that no route answered. Registered after the routes. */
export const answerUnknownPath: Handler = () => {
  throw unknownPath()
}

/** Turns whatever a route threw into an error answer. Registered last. */
export function answerError(log: HttpLog): ErrorHandler {
  // Express knows an error handler by its four parameters.
  return (error, _req, res, _next) => {
    const known = knownError(error)
    // The server answered for the route, because the request's body broke off (see `createPetServer`).
    if (res.writableEnded && isTooLate(error)) return
    if (known === undefined || ERROR_STATUS[known.code] >= 500) log.fault(error, res.locals.requestId)
    if (res.headersSent) {
      // Half an answer is out: the only honest thing left is to break the connection off.
      if (!res.writableEnded) res.destroy()
      return
    }
    sendError(res, known ?? new HttpError('internal_error', FAULT))
  }
}

function knownError(error: unknown): HttpError | undefined {
  if (error instanceof HttpError) return error
  // Another copy of the domain may have codes that this table lacks.
  if (isPetError(error) && Object.hasOwn(ANSWERS, error.code)) return new HttpError(ANSWERS[error.code], error.message)
  if (isStorageUnavailable(error)) {
    return new HttpError('service_unavailable', 'The service cannot reach its storage at present.', {
      'Retry-After': TRY_AGAIN,
    })
  }
  // The router throws this for percent-encoding that cannot be decoded: such a path names nothing.
  if (error instanceof URIError) return unknownPath()
  return undefined
}

/** The ports promise this code where storage cannot be reached, whatever the class of the error. */
function isStorageUnavailable(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'persistence_unavailable'
}

function isTooLate(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ERR_HTTP_HEADERS_SENT'
}

function unknownPath(): HttpError {
  return new HttpError('not_found', 'There is nothing at this path.')
}
