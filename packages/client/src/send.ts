import { attempt } from './attempt.ts'
import type { AttemptOptions, Call } from './call.ts'
import { withRetries } from './retry.ts'

/**
 * Sends a request, and repeats it after a transient failure, at most `retries` times: only where
 * the operation is idempotent, or an idempotency key makes it so. Any other request may have been
 * carried out although its response was lost, so it is sent once.
 */
export function send<T>(
  options: AttemptOptions,
  call: Call<T>,
  retries: number,
  signal?: AbortSignal,
): Promise<T> {
  const canBeRepeated = call.operation.isIdempotent || call.idempotencyKey !== undefined
  return withRetries((mayBeDone) => attempt(options, call, mayBeDone, signal), {
    retries: canBeRepeated ? retries : 0,
    signal,
    hooks: options.hooks,
  })
}
