import type { HttpLog } from '@pet-store/http-express'
import pino, { type Logger } from 'pino'
import pinoPretty from 'pino-pretty'
import type { ReadinessListener } from './readiness.ts'
import type { Settings } from './settings.ts'

/** The program's log on standard output: readable on a terminal, else one JSON object a line. */
export function createLog(level: Settings['logLevel']): Logger {
  const output = process.stdout.isTTY
    ? pinoPretty({ ignore: 'pid,hostname', singleLine: true, sync: true })
    : pino.destination({ dest: 1, sync: true })
  return pino({ level, timestamp: pino.stdTimeFunctions.isoTime }, output)
}

/** The app's view of the log: one line a request, faults with their cause and stack. */
export function httpLog(log: Logger): HttpLog {
  return {
    request: (entry) => log.info(entry, 'request'),
    fault: (error, requestId) => log.error({ err: error, requestId }, 'fault'),
  }
}

/** Lines on the program becoming ready, or ceasing to be. */
export function readinessLog(log: Logger): ReadinessListener {
  return (checks, isReady, reason) => {
    if (isReady) log.info({ checks }, 'ready again')
    else log.warn({ checks, ...(reason !== undefined && { err: reason }) }, 'not ready')
  }
}
