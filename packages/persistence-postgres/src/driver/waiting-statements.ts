import type { Cancellation, PetError } from '@pet-store/domain'
import { notSent } from '../unavailable.ts'

/** The limits of everything that waits for a connection or for the server. */
export interface WaitingLimits {
  readonly maxStatements: number
  readonly maxBytes: number
  readonly maxWaitMs: number
}

export const WAITING_LIMITS: WaitingLimits = {
  maxStatements: 10_000,
  maxBytes: 16 * 1024 * 1024,
  maxWaitMs: 5_000,
}

/** Counts the statements that wait, and their bytes. */
export class WaitingStatements {
  readonly #limits: WaitingLimits
  #statements = 0
  #bytes = 0

  constructor(limits: WaitingLimits = WAITING_LIMITS) {
    this.#limits = limits
  }

  /** Counts a statement, or returns why there is no room for it. */
  add(bytes: number): PetError | undefined {
    if (this.#statements >= this.#limits.maxStatements || this.#bytes + bytes > this.#limits.maxBytes) {
      return notSent('Too many statements are waiting for the database.')
    }
    this.#statements += 1
    this.#bytes += bytes
    return undefined
  }

  remove(bytes: number): void {
    this.#statements -= 1
    this.#bytes -= bytes
  }
}

/** Values that are asked for when there is a connection to send them on; `undefined` if they must not be sent any more. */
export type LateValues = () => readonly unknown[] | undefined

/** Returns why a statement that has waited must not be sent. */
export function whyDropped(cancellation: Cancellation | undefined, deadline: number): PetError | undefined {
  if (cancellation?.aborted) return notSent('The caller no longer waits for this statement.')
  if (performance.now() >= deadline) return waitedTooLong()
  return undefined
}

export function waitedTooLong(): PetError {
  return notSent('The statement has waited too long for the database.')
}

/** The memory that a waiting statement holds, roughly: its texts, and its closures. */
export function bytesOf(values: readonly unknown[]): number {
  let bytes = 500
  for (const value of values) if (typeof value === 'string') bytes += 2 * value.length
  return bytes
}
