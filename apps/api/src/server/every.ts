/** Something that is done again and again beside the program's work. */
export interface Repeated {
  /** Does it one last time, and no more. */
  finish(): Promise<void>
}

/**
 * Does something at intervals, one at a time, without keeping the process alive. It must be able to wait: where it
 * fails it is done again at the next interval, and whatever made it fail shows elsewhere.
 */
export function every(intervalMs: number, work: () => Promise<void>): Repeated {
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
