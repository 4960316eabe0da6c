/**
 * Every way a pet operation can fail. Codes never change; messages may. `persistence_unavailable` comes from adapters,
 * as an error with this `code` that need not be a `PetError`.
 */
export type PetErrorCode =
  | 'pet_invalid'
  | 'pet_query_invalid'
  | 'pet_not_found'
  | 'idempotency_key_reused'
  | 'persistence_unavailable'

/** A pet operation that could not be done, for a reason that the caller can understand and act on. */
export class PetError extends Error {
  override readonly name = 'PetError'
  readonly code: PetErrorCode

  constructor(code: PetErrorCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}

/** Recognises a `PetError`, even of another copy of this package. */
export function isPetError(value: unknown): value is PetError {
  return value instanceof Error && value.name === 'PetError'
}
