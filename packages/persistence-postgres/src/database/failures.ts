import { DriverException } from '@mikro-orm/core'
import {
  isPetError,
  type PetError,
  persistenceUnavailable,
  type WriteOutcome,
} from '@pet-store/domain'
import pg from 'pg'

// Decided by SQLSTATE alone. A server translates its messages, and the severity too, of which the
// driver gives only the translation; only where that is exactly ERROR is it known to be one.

/** The server failed the statement itself, whatever the severity says. Nothing is stored. */
const FAILED_STATEMENT = /^(?:2[23]...|40(?!003)...)$/
/**
 * The server cannot run the statement at present, and will when somebody or time has helped: it is
 * out of resources (53) or ids (2200H), ended the statement (57014, 55P03), takes no writes
 * (25006), lacks a right (42501), a table or a column (42P01, 42703, 3F000), or has not what was
 * prepared, because a pooler has changed the connection (26000, 42P05).
 */
const CANNOT_NOW = /^(?:53...|57014|55P03|25006|2200H|42501|42P01|42703|3F000|26000|42P05)$/
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
const UNIQUE_VIOLATION = '23505'
const QUERY_CANCELED = '57014'
const LOCK_NOT_AVAILABLE = '55P03'
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

/** Whether a value that must be unique is there already. It has changed nothing. */
export function isTakenValue(error: unknown): boolean {
  return sqlStateOf(error) === UNIQUE_VIOLATION
}

/**
 * Whether a prepared statement may have to be prepared again, because a column has another type
 * now, and is known to have changed nothing. The server has one code for everything that it does
 * not support.
 */
export function mayBeStalePlan(error: unknown): boolean {
  return knownFailureOf(error) === FEATURE_NOT_SUPPORTED
}

/**
 * Whether a prepared statement is not there, or is there already: a pooler has changed the
 * connection. It has done nothing.
 */
export function isLostStatement(error: unknown): boolean {
  return LOST_STATEMENT.test(knownFailureOf(error) ?? '')
}

/** Whether a statement has waited too long for a lock. It has changed nothing. */
export function isLockTimeout(error: unknown): boolean {
  return knownFailureOf(error) === LOCK_NOT_AVAILABLE
}

/** The SQLSTATE of a statement that is known to have changed nothing. */
function knownFailureOf(error: unknown): string | undefined {
  if (!isPetError(error)) return sqlStateOf(error)
  return error.outcome === 'unknown' ? undefined : sqlStateOf(error.cause)
}

/**
 * Whether the connection on which a statement failed is known to work. A statement that was not
 * sent has left it as it was. Most errors of a server that translates its severities cost their
 * connection.
 */
export function isUsableAfter(error: unknown): boolean {
  if (isPetError(error)) return error.cause === undefined || isUsableAfter(error.cause)
  const { code = '', severity } = reportedBy(error) ?? {}
  return severity === 'ERROR' || FAILED_STATEMENT.test(code)
}

/**
 * Classifies why a statement failed that was sent: `persistence_unavailable`, or the server's own
 * error, which has changed nothing. `outcome` is what is known as long as the server has not said
 * that nothing is stored: `unknown` for a write. Whatever the driver reports leaves it open, and so
 * does every error that may be a FATAL or PANIC, whatever its SQLSTATE: it may come after the
 * commit.
 */
export function unavailableOr(error: unknown, outcome: WriteOutcome = 'not_stored'): unknown {
  if (isPetError(error)) return error
  const { code = '', severity } = reportedBy(error) ?? {}
  const hasFailed = FAILED_STATEMENT.test(code)
  if (!hasFailed && (severity !== 'ERROR' || UNKNOWN.test(code)))
    return persistenceUnavailable({ cause: error, outcome })
  return CANNOT_NOW.test(code) ? persistenceUnavailable({ cause: error }) : error
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
