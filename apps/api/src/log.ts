import { isatty } from 'node:tty'
import type { HttpLog } from '@pet-store/http-express'
import pino, { type Logger } from 'pino'
import pinoPretty from 'pino-pretty'
import type { ReadinessListener } from './readiness.ts'
import type { Settings } from './settings.ts'

const STANDARD_OUTPUT = 1

/** Lines wait for so many bytes of them, or so many milliseconds: one write for many requests, beside the event loop. */
const BUFFER = { minLength: 4096, periodicFlush: 500 }

/**
 * The program's log on standard output: readable on a terminal, else one JSON object a line. Lines are written in the
 * background, at once where one is fatal, and to the last one when the process ends by itself.
 */
export async function createLog({ logLevel, otlpEndpoint }: Settings): Promise<Logger> {
  // Asked of the file descriptor: looking at `process.stdout` would open it a second time.
  const output = isatty(STANDARD_OUTPUT)
    ? pinoPretty({ ignore: 'pid,hostname', singleLine: true, sync: true })
    : pino.destination({ dest: STANDARD_OUTPUT, sync: false, ...BUFFER })
  const options = { level: logLevel, timestamp: isoTime }
  if (otlpEndpoint === '') return pino(options, output)
  const { traceIds } = await import('./tracing/trace-ids.ts')
  return pino({ ...options, mixin: traceIds }, output)
}

let latest = 0
let text = ''

/** The present time for a line, to the millisecond; made once for all lines of one millisecond. */
function isoTime(): string {
  const now = Date.now()
  if (now !== latest) {
    latest = now
    text = `,"time":"${new Date(now).toISOString()}"`
  }
  return text
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
