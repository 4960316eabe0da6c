import type { WriteOutcome } from '@pet-store/domain'
import { CONTEXT, type HandlerResponse, type WriteSentences } from './context.ts'
import { HttpError } from './http-error.ts'
import { RETRY_AFTER, retryAfter } from './retry-after.ts'

/** The 503 of a request before which too many others are under way, in all or of its API key. */
export function overloaded(res: HandlerResponse, who: 'service' | 'API key'): HttpError {
  const reason =
    who === 'service'
      ? 'the service has as many requests under way as it can handle'
      : 'the API key has as many requests under way as one key may have'
  const headers = retryAfter(RETRY_AFTER.overloaded)
  return new HttpError('service_unavailable', notDone(res, reason), headers)
}

/**
 * The 503 of a request whose database is unavailable. Without an outcome that is unknown: never say
 * that a stored pet is not.
 */
export function databaseUnavailable(
  res: HandlerResponse,
  outcome: WriteOutcome | undefined,
): HttpError {
  const { write, isWriting } = res[CONTEXT]
  const message =
    write !== undefined && isWriting && outcome !== 'not_stored'
      ? maybeDone(res, write)
      : notDone(res, 'the database cannot serve requests at present')
  return new HttpError('service_unavailable', message, retryAfter(RETRY_AFTER.unavailable))
}

/**
 * Why a request got 503 before anything was written. With an `Idempotency-Key` it is not said that
 * nothing was: an earlier request with the same key may have done it.
 */
function notDone(res: HandlerResponse, reason: string): string {
  const { write } = res[CONTEXT]
  const sentence = `${reason.replace('the', 'The')}.`
  if (write === undefined) return sentence
  if (write.earlier === undefined || !hasIdempotencyKey(res)) return `${write.notDone}: ${reason}.`
  return (
    `${sentence} An earlier request with the same Idempotency-Key may have ${write.earlier}: ` +
    'repeat it with that key to find out.'
  )
}

function maybeDone(res: HandlerResponse, write: WriteSentences): string {
  if (write.earlier === undefined || !hasIdempotencyKey(res))
    return `${write.maybeDone}; ${write.remedy} to find out.`
  return `${write.maybeDone}; repeat the request with the same Idempotency-Key to find out.`
}

function hasIdempotencyKey(res: HandlerResponse): boolean {
  return res[CONTEXT].req.headers['idempotency-key'] !== undefined
}
