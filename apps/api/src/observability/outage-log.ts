import type { HttpLog } from '@pet-store/http-express'
import type { Logger } from 'pino'

/** Requests may fail and succeed in turn while a database goes down or comes back. */
const CALM_MS = 1_000

/**
 * Reports an unavailable database without repeating its cause for every request: an error when it begins, a warning for
 * each further request, and a line when a request that began a second after the last failure is served.
 */
export function createOutageLog(
  log: Logger,
  now: () => number = () => performance.now(),
): Required<Pick<HttpLog, 'request' | 'unavailable'>> {
  let lastFailure: number | undefined
  return {
    unavailable(error, requestId) {
      if (lastFailure === undefined) log.error({ err: error, requestId }, 'the database is unavailable')
      else log.warn({ reason: (error as Error).message, requestId }, 'the database is still unavailable')
      lastFailure = now()
    },
    request({ route, status, durationMs }) {
      if (lastFailure === undefined || now() - durationMs < lastFailure + CALM_MS) return
      // Others may have been served without the database.
      if (!route?.startsWith('/v1/') || (status !== 200 && status !== 201)) return
      lastFailure = undefined
      log.info('the database is available again')
    },
  }
}
