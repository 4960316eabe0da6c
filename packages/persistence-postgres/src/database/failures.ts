import { setTimeout } from 'node:timers/promises'
import { DriverException } from '@mikro-orm/core'
import {
  isPetError,
  type PetError,
  persistenceUnavailable,
  type WriteOutcome,
} from '@pet-store/domain'
import pg from 'pg'

/**
 * The server is out of resources (53), ended the statement (57014, 55P03), or takes no writes
 * (25006). Nothing is stored.
 */
const NOT_STORED = /^(?:53...|57014|55P03|25006)$/
/**
 * The connection is lost (08, 57P), the server has failed (58, XX), or does not know the outcome
 * itself (40003).
 */
const UNKNOWN = /^(?:08...|57P..|58...|XX...|40003)$/
/** The server chose this transaction to fail because others ran at the same time. */
const CONFLICT = /^(?:40001|40P01)$/
/** The values of the statement are invalid, or violate a constraint. */
const INVALID_VALUE = /^2[23]...$/
const LOST_STATEMENT = /^(?:26000|42P05)$/
const QUERY_CANCELED = '57014'
const FEATURE_NOT_SUPPORTED = '0A000'

/** Returns the SQLSTATE of an error that the server reported, `undefined` for any other error. */
export function sqlStateOf(error: unknown): string | undefined {
  return reportedBy(error)?.code
}

/**
 * Whether the server failed a statement that may succeed when it is repeated. It has changed
 * nothing.
 */
export function isConflict(error: unknown): boolean {
  return CONFLICT.test(sqlStateOf(error) ?? '')
}

/** Whether the server rejected a statement because of its values. It has changed nothing. */
export function isInvalidValue(error: unknown): boolean {
  return INVALID_VALUE.test(sqlStateOf(error) ?? '')
}

/**
 * Whether a prepared statement must be prepared again, because a column has another type now. It
 * has done nothing.
 */
export function isStalePlan(error: unknown): boolean {
  return (
    sqlStateOf(error) === FEATURE_NOT_SUPPORTED &&
    /cached plan/.test(reportedBy(error)?.message ?? '')
  )
}

/**
 * Whether a prepared statement is not there, or is there already: a pooler has changed the
 * connection. It has done nothing.
 */
export function isLostStatement(error: unknown): boolean {
  return LOST_STATEMENT.test(sqlStateOf(error) ?? '')
}

/**
 * Whether the connection on which a statement failed works. A statement that was not sent has left
 * it as it was.
 */
export function isUsableAfter(error: unknown): boolean {
  if (isPetError(error)) return error.cause === undefined || isUsableAfter(error.cause)
  const reported = reportedBy(error)
  return reported !== undefined && reported.severity !== 'FATAL' && reported.severity !== 'PANIC'
}

/**
 * Classifies why a statement failed that was sent: `persistence_unavailable`, or the server's own
 * error. `outcome` is what is known as long as the server has not said that nothing is stored:
 * `unknown` for a write. Whatever the driver reports leaves it open, and so does a FATAL or PANIC
 * of the server, whatever its SQLSTATE: it may come after the commit.
 */
export function unavailableOr(error: unknown, outcome: WriteOutcome = 'not_stored'): unknown {
  if (isPetError(error)) return error
  const state = sqlStateOf(error) ?? ''
  if (isUsableAfter(error)) {
    if (NOT_STORED.test(state)) return persistenceUnavailable({ cause: error })
    if (!UNKNOWN.test(state)) return error
  }
  return persistenceUnavailable({ cause: error, outcome })
}

/**
 * For a write that the server passes on to another one: it reports that it has waited too long
 * while the other may still store it.
 */
export function unknownIfTimedOut(error: unknown): unknown {
  const isTimeout = isPetError(error) && sqlStateOf(error.cause) === QUERY_CANCELED
  return isTimeout ? persistenceUnavailable({ cause: error.cause, outcome: 'unknown' }) : error
}

/** For a statement for which there was no connection. */
export function cannotConnect(cause: unknown): PetError {
  return persistenceUnavailable({ message: 'Cannot connect to the database.', cause })
}

/** The ORM wraps the errors of the driver and copies their fields. */
function reportedBy(error: unknown): pg.DatabaseError | undefined {
  if (error instanceof pg.DatabaseError) return error
  return error instanceof DriverException && 'severity' in error
    ? (error as unknown as pg.DatabaseError)
    : undefined
}

const MAX_RETRIES = 10
const FIRST_PAUSE_MS = 5
const MAX_PAUSE_MS = 200

/**
 * Runs work, and runs it again if it has failed because of others at the same time, with longer and
 * longer pauses, with jitter. Rejects with `persistence_unavailable`, outcome `not_stored`, if it
 * fails each time.
 */
export async function withRetries<Result>(work: () => Promise<Result>): Promise<Result> {
  let conflict: unknown
  for (let retries = 0; retries <= MAX_RETRIES; retries += 1) {
    if (retries > 0) {
      await setTimeout(
        Math.min(MAX_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (retries - 1)) * (0.5 + Math.random()),
      )
    }
    try {
      return await work()
    } catch (error) {
      if (!isConflict(error)) throw error
      conflict = error
    }
  }
  throw persistenceUnavailable({
    message: 'The statement conflicts with others that run at the same time.',
    cause: conflict,
  })
}
