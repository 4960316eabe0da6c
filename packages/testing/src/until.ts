import { setTimeout } from 'node:timers/promises'

/**
 * Resolves once the condition holds; rejects after the timeout, saying what did not happen.
 * Default: ten minutes, more than anything takes beside a load of sixty.
 */
export async function until(
  what: string,
  condition: () => boolean | Promise<boolean>,
  timeoutMs = 600_000,
): Promise<void> {
  const deadline = performance.now() + timeoutMs
  while (!(await condition())) {
    if (performance.now() > deadline)
      throw new Error(`It did not happen within ${timeoutMs} ms: ${what}.`)
    await setTimeout(10)
  }
}
