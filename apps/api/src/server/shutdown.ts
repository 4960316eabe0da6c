import { setTimeout } from 'node:timers/promises'
import closeWithGrace, { type AllEvents } from 'close-with-grace'
import type { Logger } from 'pino'
import type { Program } from '../compose.ts'
import type { Settings } from '../settings/settings.ts'

/**
 * Makes SIGTERM and SIGINT end the program in order: readiness reports that it is stopping; after
 * `shutdownDelayMs` the server stops once its requests have finished; then everything else is
 * closed.
 */
export function shutDownOnSignals(program: Program, settings: Settings, log: Logger): void {
  // A second signal or error, or an error while stopping, ends the process at once.
  const options = {
    skip: NATIVE_FAULTS,
    delay: settings.shutdownTimeoutMs,
    logger: { error: (err: unknown) => log.fatal({ err }, 'ending at once') },
    onTimeout: () => log.fatal('ending, because stopping took too long'),
  }
  closeWithGrace(options, async ({ signal, err }) => {
    if (err) log.fatal({ err }, 'stopping after an error')
    else log.info({ signal }, 'stopping')
    program.stop()
    if (!err) await setTimeout(settings.shutdownDelayMs)
    await program.server.shutDown()
    await program.close()
    log.info('stopped')
  })
}

/**
 * Signals of failed instructions and of `abort`, which must end the process at once. After a
 * handler the failed instruction would run again, forever.
 */
const NATIVE_FAULTS: AllEvents[] = ['SIGSEGV', 'SIGBUS', 'SIGILL', 'SIGFPE', 'SIGTRAP', 'SIGABRT']
