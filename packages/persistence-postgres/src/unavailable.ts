import { DriverException } from '@mikro-orm/core'
import { isPetError, type PetError, persistenceUnavailable } from '@pet-store/domain'
import pg from 'pg'

/** The server is out of something (53), ended the statement (57014, 55P03), or takes no writes (25006). Nothing is stored. */
const NOT_STORED = /^(?:53...|57014|55P03|25006)$/
/** The connection is lost (08, 57P), the server has failed (58, XX), or says itself that it does not know (40003). */
const UNKNOWN = /^(?:08...|57P..|58...|XX...|40003)$/
/** The server chose this transaction to fail because others ran at the same time. */
const CONFLICT = /^(?:40001|40P01)$/
/** The values of the statement are invalid, or violate a constraint. */
const INVALID_VALUE = /^2[23]...$/

/** Returns the SQLSTATE of an error that the server reported, `undefined` for any other error. */
export function sqlStateOf(error: unknown): string | undefined {
  return reportedBy(error)?.code
}

/** Whether the server failed a statement that may succeed when it is repeated. It has changed nothing. */
export function isConflict(error: unknown): boolean {
  return CONFLICT.test(sqlStateOf(error) ?? '')
}

/** Whether the server rejected a statement because of its values. It has changed nothing. */
export function isInvalidValue(error: unknown): boolean {
  return INVALID_VALUE.test(sqlStateOf(error) ?? '')
}

/** Whether the connection on which a statement failed works. */
export function isUsableAfter(error: unknown): boolean {
  const reported = reportedBy(error)
  return reported !== undefined && reported.severity !== 'FATAL' && reported.severity !== 'PANIC'
}

/**
 * Classifies why a statement failed that was sent: `persistence_unavailable`, or the server's own error. Only the
 * server can say that a write stored nothing; whatever the driver reports instead leaves it unknown.
 */
export function unavailableOr(error: unknown, isWrite: boolean): unknown {
  if (isPetError(error)) return error
  const state = sqlStateOf(error)
  if (state !== undefined && NOT_STORED.test(state)) return persistenceUnavailable({ cause: error })
  if (state !== undefined && !UNKNOWN.test(state) && isUsableAfter(error)) return error
  return persistenceUnavailable({ cause: error, outcome: isWrite ? 'unknown' : 'not_stored' })
}

/** For a statement that was not sent. */
export function notSent(message: string, cause?: unknown): PetError {
  return persistenceUnavailable({ message, outcome: 'not_stored', ...(cause !== undefined && { cause }) })
}

/** For a statement for which there was no connection. */
export function cannotConnect(cause: unknown): PetError {
  return notSent('Cannot connect to the database.', cause)
}

/** The ORM wraps the errors of the driver and copies their fields. */
function reportedBy(error: unknown): pg.DatabaseError | undefined {
  if (error instanceof pg.DatabaseError) return error
  return error instanceof DriverException && 'severity' in error ? (error as unknown as pg.DatabaseError) : undefined
}
