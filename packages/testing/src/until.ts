import { setTimeout } from 'node:timers/promises'

/**
 * Resolves once the condition is true. Rejects after the timeout with an error that names `what`.
 * Default: ten minutes, longer than anything takes on a machine with a load of sixty.
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
