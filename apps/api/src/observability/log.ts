import { hostname } from 'node:os'
import { isatty } from 'node:tty'
import type { HttpLog } from '@pet-store/http-express'
import pino, { type DestinationStream, type Logger } from 'pino'
import pinoPretty from 'pino-pretty'
import type { ReadinessListener } from '../server/readiness.ts'
import type { Settings } from '../settings/settings.ts'
import { openLogOutput } from './log-output.ts'
import { requestLine } from './request-line.ts'

const STANDARD_OUTPUT = 1

/** The program's log, and the app's view of it. */
export interface ProgramLog {
  readonly log: Logger
  /** One line a request, faults with their cause and stack. */
  readonly http: HttpLog
}

/** The program's log on standard output: readable on a terminal, else one JSON object a line. */
export async function createLog({ logLevel, otlpEndpoint }: Settings): Promise<ProgramLog> {
  const isTraced = otlpEndpoint !== ''
  // Asked of the file descriptor: looking at `process.stdout` would open it a second time.
  const output = isatty(STANDARD_OUTPUT)
    ? pinoPretty({ ignore: 'pid,hostname', singleLine: true, sync: true })
    : openLogOutput(STANDARD_OUTPUT)
  const mixin = isTraced ? (await import('./trace-ids.ts')).traceIds : undefined
  const log = pino({ level: logLevel, base: BASE, timestamp: isoTime, ...(mixin && { mixin }) }, output)
  return {
    log,
    http: {
      request: isTraced ? (entry) => log.info(entry, 'request') : requestLog(log, output),
      internalError: (error, requestId) => log.error({ err: error, requestId }, 'fault'),
    },
  }
}

/** What every line has. */
const BASE = { pid: process.pid, hostname: hostname() }

/** Writes the lines of requests past pino, which would make the same of them. */
function requestLog(log: Logger, output: DestinationStream): HttpLog['request'] {
  if (!log.isLevelEnabled('info')) return () => {}
  const level = `{"level":${pino.levels.values['info']}`
  const base = JSON.stringify(BASE).slice(1, -1)
  return (entry) => output.write(requestLine(`${level}${isoTime()},${base}`, entry))
}

let latest = 0
let upToSeconds = ''

/** The present time for a line, to the millisecond; put together once for all lines of one second. */
function isoTime(): string {
  const now = Date.now()
  const milliseconds = now % 1000
  if (now - milliseconds !== latest) {
    latest = now - milliseconds
    upToSeconds = new Date(latest).toISOString().slice(0, -'000Z'.length)
  }
  return `,"time":"${upToSeconds}${String(milliseconds).padStart(3, '0')}Z"`
}

/** Lines on the program becoming ready, or ceasing to be. */
export function readinessLog(log: Logger): ReadinessListener {
  return (checks, isReady, reason) => {
    if (isReady) log.info({ checks }, 'ready again')
    else log.warn({ checks, ...(reason !== undefined && { err: reason }) }, 'not ready')
  }
}

/** A line on a client address that has used up its look-ups of API keys. */
export function lookUpLimitLog(log: Logger): (address: string) => void {
  return (clientAddress) => {
    log.warn({ clientAddress }, 'too many unknown API keys from this address; if it is a proxy, set TRUST_PROXY')
  }
}
