/** Every way a pet operation can fail. Codes never change; messages may. */
export type PetErrorCode =
  | 'pet_invalid'
  | 'pet_query_invalid'
  | 'pet_not_found'
  | 'idempotency_key_reused'
  | 'persistence_unavailable'

/**
 * What is known about a write that failed because the database was unavailable: `not_stored`,
 * because the database said so or nothing was sent to it, or `unknown`, because the connection was
 * lost or timed out after sending.
 */
export type WriteOutcome = 'not_stored' | 'unknown'

/** The options of a `PetError`: its cause, and what is known about a write. */
export interface PetErrorOptions extends ErrorOptions {
  readonly outcome?: WriteOutcome
}

/**
 * A pet operation that could not be done, for a reason that the caller can understand and act on.
 */
export class PetError extends Error {
  override readonly name = 'PetError'
  readonly code: PetErrorCode
  /** What is known about a write; only with the code `persistence_unavailable`. */
  readonly outcome?: WriteOutcome

  constructor(code: PetErrorCode, message: string, { outcome, ...options }: PetErrorOptions = {}) {
    super(message, options)
    this.code = code
    if (outcome !== undefined) this.outcome = outcome
  }
}

/**
 * The error of adapters while the database is unavailable or has no capacity left. `cause` is the
 * driver's error. The default `outcome`, `not_stored`, is also right for reads.
 */
export function persistenceUnavailable({
  message = 'The database is unavailable.',
  outcome = 'not_stored',
  ...options
}: PetErrorOptions & { readonly message?: string } = {}): PetError {
  return new PetError('persistence_unavailable', message, { ...options, outcome })
}

/** Recognises a `PetError`, even of another copy of this package. */
export function isPetError(value: unknown): value is PetError {
  return value instanceof Error && value.name === 'PetError'
}
