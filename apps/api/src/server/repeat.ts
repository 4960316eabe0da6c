/**
 * Does background work at intervals, one run at a time, without keeping the process alive. Work that fails is repeated at
 * the next interval: requests and readiness report what made it fail. `finish` runs it once more and stops.
 */
export function repeat(work: () => Promise<void>, intervalMs: number): { finish(): Promise<void> } {
  let running = Promise.resolve()
  const run = () => {
    running = running.then(work).catch(() => {})
    return running
  }
  const timer = setInterval(() => void run(), intervalMs).unref()
  return {
    finish() {
      clearInterval(timer)
      return run()
    },
  }
}
