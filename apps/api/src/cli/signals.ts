import { constants } from 'node:os'

/**
 * Ends the program on SIGTERM and SIGINT where it is process 1, as in a container: the kernel ends every other process
 * by itself, but leaves this one to its own devices. Whoever stops in order (`run-server.ts`) listens as well, and is
 * left to do so.
 */
export function endOnSignals(): void {
  if (process.pid !== 1) return
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, () => {
      if (process.listenerCount(signal) === 1) process.exit(128 + constants.signals[signal])
    })
  }
}
