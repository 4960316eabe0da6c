import { constants } from 'node:os'
import { printLine } from '../messages/progress.ts'

/**
 * Runs work. SIGINT and SIGTERM print the message, which says what was done, and end the program.
 */
export async function interruptible<Result>(
  message: () => string,
  work: () => Promise<Result>,
): Promise<Result> {
  const stop = (signal: 'SIGINT' | 'SIGTERM') => {
    printLine(message())
    process.exit(128 + constants.signals[signal])
  }
  process.on('SIGINT', stop).on('SIGTERM', stop)
  try {
    return await work()
  } finally {
    process.off('SIGINT', stop).off('SIGTERM', stop)
  }
}
