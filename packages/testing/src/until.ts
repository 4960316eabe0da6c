import { setTimeout } from 'node:timers/promises'
import { TIMEOUT_MS } from './timeout.ts'

/**
 * Resolves once the condition is true. Rejects after the timeout with an error that names `what`.
 * Default: ten minutes.
 */
export async function until(
  what: string,
  condition: () => boolean | Promise<boolean>,
  timeoutMs: number = TIMEOUT_MS,
): Promise<void> {
  const deadline = performance.now() + timeoutMs
  while (!(await condition())) {
    if (performance.now() > deadline)
      throw new Error(`It did not happen within ${timeoutMs} ms: ${what}.`)
    await setTimeout(10)
  }
}
