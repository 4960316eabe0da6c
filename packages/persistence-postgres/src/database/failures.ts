import { DriverException } from '@mikro-orm/core'
import {
  isPetError,
  type PetError,
  persistenceUnavailable,
  type WriteOutcome,
} from '@pet-store/domain'
import pg from 'pg'

// Errors are classified by their SQLSTATE. A server translates its messages, and the severity too,
// of which the driver reports only the translation: only a severity of exactly `ERROR` is certain.

/** The server failed the statement itself, whatever the severity. Nothing is stored. */
const FAILED_STATEMENT = /^(?:2[23]...|40(?!003)...)$/
/**
 * The server cannot run the statement at present, but may later, or once an operator has changed
 * something:
 *
 * - it is out of resources (53) or ids (2200H);
 * - it ended the statement (57014, 55P03), or is read-only (25006);
 * - the user lacks a right (42501);
 * - a table, a column or a primary key is missing (42P01, 42703, 42P10, 3F000);
 * - a pooler has changed the connection on which the statement was prepared (26000, 42P05).
 */
const CANNOT_NOW = /^(?:53...|57014|55P03|25006|2200H|42501|42P01|42703|42P10|3F000|26000|42P05)$/
/**
 * The connection is lost (08, 57P), the server has failed (58, XX), or does not know the outcome
 * itself (40003).
 */
const UNKNOWN = /^(?:08...|57P..|58...|XX...|40003)$/
/** The server ended this transaction because it conflicts with concurrent ones. */
const CONFLICT = /^(?:40001|40P01)$/
/**
 * The settings with which the session began may be the cause, or the server that it leads to: it is
 * read-only (25006), or its `search_path` does not find the tables (3F000, 42P01).
 */
const OTHER_SESSION = /^(?:25006|3F000|42P01)$/
const LOST_STATEMENT = /^(?:26000|42P05)$/
const UNIQUE_VIOLATION = '23505'
const PROTOCOL_VIOLATION = '08P01'
const DISK_FULL = '53100'
/**
 * There are no more transaction ids until tables were vacuumed. A value that is too large for an
 * index of an operator has the same code.
 */
const PROGRAM_LIMIT_EXCEEDED = '54000'
const QUERY_CANCELED = '57014'
const LOCK_NOT_AVAILABLE = '55P03'
const FEATURE_NOT_SUPPORTED = '0A000'

/** Returns the SQLSTATE of an error that the server reported, `undefined` for any other error. */
export function sqlStateOf(error: unknown): string | undefined {
  return reportedBy(error)?.code
}

/**
 * Whether a statement failed only because of concurrent transactions, so that it may succeed when
 * it is repeated. It has changed nothing.
 */
export function isConflict(error: unknown): boolean {
  return CONFLICT.test(sqlStateOf(error) ?? '')
}

/**
 * Whether the server rejected a statement, as `unavailableOr` returns it: because of its values, or
 * a rule that an operator has added. A trigger may report any SQLSTATE. It has changed nothing.
 */
export function isRejected(error: unknown): boolean {
  return !isPetError(error) && sqlStateOf(error) !== undefined
}

/** Whether a statement failed because a unique value is taken. It has changed nothing. */
export function isTakenValue(error: unknown): boolean {
  return sqlStateOf(error) === UNIQUE_VIOLATION
}

/**
 * Whether a prepared statement may have failed because the type of a column was changed, so that it
 * must be prepared again. It is known to have changed nothing. The server has the same code for
 * everything that it does not support.
 */
export function mayBeStalePlan(error: unknown): boolean {
  return knownFailureOf(error) === FEATURE_NOT_SUPPORTED
}

/**
 * Whether a prepared statement is missing, or exists already, on a connection of the server,
 * because a pooler has changed that connection. The statement was not run.
 */
export function isLostStatement(error: unknown): boolean {
  return LOST_STATEMENT.test(knownFailureOf(error) ?? '')
}

/**
 * Whether a pooler has rejected a parameter at the start of a connection, or a transaction. Poolers
 * accept only a few parameters in any mode; servers accept all that the driver sends.
 */
export function isProtocolViolation(error: unknown): boolean {
  return sqlStateOf(error) === PROTOCOL_VIOLATION
}

/** Whether a statement has waited too long for a lock. It has changed nothing. */
export function isLockTimeout(error: unknown): boolean {
  return knownFailureOf(error) === LOCK_NOT_AVAILABLE
}

/** Whether a statement failed because there is no space for what it writes. */
export function isDiskFull(error: unknown): boolean {
  return sqlStateOf(isPetError(error) ? error.cause : error) === DISK_FULL
}

/** Whether a statement may have failed because the server has no transaction ids left. */
export function mayLackTransactionIds(error: unknown): boolean {
  return sqlStateOf(isPetError(error) ? error.cause : error) === PROGRAM_LIMIT_EXCEEDED
}

/** The SQLSTATE of an error, if its statement is known to have changed nothing. */
function knownFailureOf(error: unknown): string | undefined {
  if (!isPetError(error)) return sqlStateOf(error)
  return error.outcome === 'unknown' ? undefined : sqlStateOf(error.cause)
}

/** The reason why a connection is of no use: it leads to a standby, or to a read-only session. */
export class ReadOnlyConnection extends Error {}

/** The reason why a connection is of no use: a pooler sends its reads to a standby. */
export class DividedConnection extends ReadOnlyConnection {
  constructor() {
    super(
      'the pooler sends reads to a standby, which may lack pets of the primary: let it send all ' +
        'statements of this service to the primary (Pgpool-II: load_balance_mode = off)',
    )
  }
}

/**
 * Whether a new connection may succeed where this one has failed, because it may begin with other
 * settings, or lead to another server.
 */
export function mayWorkOnAnother(error: unknown): boolean {
  const cause = isPetError(error) ? error.cause : error
  return cause instanceof ReadOnlyConnection || OTHER_SESSION.test(sqlStateOf(cause) ?? '')
}

/** Whether a pooler sends the reads of a connection to a standby. */
export function isDivided(error: unknown): boolean {
  return (isPetError(error) ? error.cause : error) instanceof DividedConnection
}

/**
 * Whether the connection on which a statement failed is known to work still. It is if the statement
 * was not sent. With a server that translates its severities most errors cost their connection.
 */
export function isUsableAfter(error: unknown): boolean {
  if (mayWorkOnAnother(error)) return true
  if (isPetError(error)) return error.cause === undefined || isUsableAfter(error.cause)
  const { code = '', severity } = reportedBy(error) ?? {}
  return severity === 'ERROR' || FAILED_STATEMENT.test(code)
}

/**
 * Returns the error with which a statement that was sent rejects: `persistence_unavailable`, or the
 * server's own error, in which case nothing was changed. `outcome` is that of a statement of which
 * the server has not said that it has changed nothing: `unknown` for a write. This is so for errors
 * of the driver, and for every error that may be a FATAL or PANIC, whatever its SQLSTATE, because
 * it may come after the commit.
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
 * Makes the outcome of a timeout `unknown`, for a write that the server passes on to another
 * server: the other one may still store it after the first has reported the timeout.
 */
export function unknownIfTimedOut(error: unknown): unknown {
  const isTimeout = isPetError(error) && sqlStateOf(error.cause) === QUERY_CANCELED
  return isTimeout ? persistenceUnavailable({ cause: error.cause, outcome: 'unknown' }) : error
}

/** The error of a statement for which no connection could be opened. */
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
