/**
 * Waits for work that may never end; rejects with `message` after `timeoutMs` milliseconds, and
 * leaves the work to itself. The timer keeps the process alive, because the work may not.
 */
export async function withTimeout<Result>(
  work: Result | Promise<Result>,
  timeoutMs: number,
  message = `no response within ${timeoutMs} ms`,
): Promise<Result> {
  let timer: NodeJS.Timeout | undefined
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(message)), timeoutMs)
  })
  return Promise.race([work, timeout]).finally(() => clearTimeout(timer))
}
