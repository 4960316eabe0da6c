import type { WriteOutcome } from '@pet-store/domain'

/** How the failure is described. */
export interface PersistenceUnavailableOptions extends ErrorOptions {
  /** For a write: what is known about it. Default: `not_stored`, which is also right for reads. */
  readonly outcome?: WriteOutcome
  /** Default: 'The database is unavailable.' */
  readonly message?: string
}

/**
 * The database is unavailable, or has no capacity left. The driver's error is the cause.
 * The ports of domain and access document its `code`.
 */
export class PersistenceUnavailable extends Error {
  override readonly name = 'PersistenceUnavailable'
  readonly code = 'persistence_unavailable'
  readonly outcome: WriteOutcome

  constructor({
    outcome = 'not_stored',
    message = 'The database is unavailable.',
    ...options
  }: PersistenceUnavailableOptions = {}) {
    super(message, options)
    this.outcome = outcome
  }
}
