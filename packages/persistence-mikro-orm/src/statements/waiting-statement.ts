import { type Cancellation, type PetError, persistenceUnavailable } from '@pet-store/domain'
import type { SqlValue } from './sql-values.ts'

/** Limits for statements that wait for a connection, a lock or the server. */
export const WAITING_LIMITS = {
  /** The maximum number of statements that wait; further ones are rejected. */
  maxStatements: 10_000,
  /** The maximum memory that they take; further ones are rejected. */
  maxBytes: 16 * 1024 * 1024,
  /** How long a statement waits before it is rejected. */
  maxWaitMs: 5_000,
}

/** A statement from its call to its result. */
export interface WaitingStatement<Work, Result> {
  readonly work: Work
  /** About how much memory it takes; see `bytesOf`. */
  readonly bytes: number
  readonly cancellation: Cancellation | undefined
  /** By `performance.now()`. */
  readonly deadline: number
  readonly resolve: (result: Result) => void
  readonly reject: (error: unknown) => void
}

/** The error of a statement that was cancelled or has waited too long; else `undefined`. */
export function rejectionFor({
  cancellation,
  deadline,
}: Pick<WaitingStatement<unknown, unknown>, 'cancellation' | 'deadline'>): PetError | undefined {
  if (cancellation?.aborted)
    return persistenceUnavailable({ message: 'The caller no longer waits for this statement.' })
  return deadline <= performance.now() ? waitedTooLong() : undefined
}

/** The error of a statement that finds a limit of those that wait reached. */
export function tooManyWait(): PetError {
  return persistenceUnavailable({ message: 'Too many statements are waiting for the database.' })
}

/** The error of a statement at its deadline. */
export function waitedTooLong(): PetError {
  return persistenceUnavailable({ message: 'The statement has waited too long for the database.' })
}

/** About how much memory a waiting statement takes: its texts, and 500 bytes for its objects. */
export function bytesOf(values: readonly SqlValue[]): number {
  let bytes = 500
  for (const value of values) if (typeof value === 'string') bytes += 2 * value.length
  return bytes
}
