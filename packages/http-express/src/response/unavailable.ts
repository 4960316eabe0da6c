import type { WriteOutcome } from '@pet-store/domain'
import { CONTEXT, type HandlerResponse, type WriteSentences } from './context.ts'
import { HttpError } from './http-error.ts'
import { RETRY_AFTER_SECONDS, retryAfter } from './retry-after.ts'

/** The 503 of a request for which there is no slot: in the whole service, or for its API key. */
export function overloaded(res: HandlerResponse, who: 'service' | 'API key'): HttpError {
  const reason =
    who === 'service'
      ? 'The service has as many requests under way as it can handle.'
      : 'The API key has as many requests under way as one key may have.'
  const headers = retryAfter(RETRY_AFTER_SECONDS.overloaded)
  return new HttpError('service_unavailable', notDone(res, reason), headers)
}

/**
 * The 503 of a request for which the database is unavailable. Without an `outcome` it is unknown
 * whether a pet was stored, and the message says so.
 */
export function databaseUnavailable(
  res: HandlerResponse,
  outcome: WriteOutcome | undefined,
): HttpError {
  const { write, hasBegun } = res[CONTEXT]
  const message =
    write !== undefined && hasBegun && outcome !== 'not_stored'
      ? maybeDone(res, write)
      : notDone(res, 'The database cannot serve requests at present.')
  return new HttpError('service_unavailable', message, retryAfter(RETRY_AFTER_SECONDS.unavailable))
}

/**
 * The message for a request that has written nothing. With an `Idempotency-Key` it does not say
 * that nothing was written, because an earlier request with the same key may have.
 */
function notDone(res: HandlerResponse, reason: string): string {
  const { write } = res[CONTEXT]
  if (write === undefined) return reason
  if (write.earlier === undefined || !hasIdempotencyKey(res)) return `${write.notDone}. ${reason}`
  return (
    `${reason} An earlier request with the same Idempotency-Key may have ${write.earlier}: ` +
    'repeat it with that key to find out.'
  )
}

/** The message for a request of which it is unknown whether it has written anything. */
function maybeDone(res: HandlerResponse, write: WriteSentences): string {
  if (write.earlier === undefined || !hasIdempotencyKey(res))
    return `${write.maybeDone}; ${write.remedy} to find out.`
  return `${write.maybeDone}; repeat the request with the same Idempotency-Key to find out.`
}

function hasIdempotencyKey(res: HandlerResponse): boolean {
  return res[CONTEXT].req.headers['idempotency-key'] !== undefined
}
