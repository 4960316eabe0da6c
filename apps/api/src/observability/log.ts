import { hostname } from 'node:os'
import { isatty } from 'node:tty'
import type { HttpLog } from '@pet-store/http-express'
import pino, { type DestinationStream, type Logger } from 'pino'
import { prettyFactory } from 'pino-pretty'
import type { Settings } from '../settings/settings.ts'
import { type LogOutput, openLogOutput } from './log-output.ts'

const STANDARD_OUTPUT = 1

/** The program's log, and the app's view of it. */
export interface ProgramLog {
  readonly log: Logger
  /** One line for each request; internal errors with their cause and stack. */
  readonly http: HttpLog
  /** How many lines were dropped since the start, because the output was full or closed. */
  droppedLines(): number
}

/** The program's log on standard output: readable on a terminal, else one JSON object a line. */
export async function createLog({ logLevel, otlpEndpoint }: Settings): Promise<ProgramLog> {
  const output = openLogOutput({
    onResume: (droppedLines) => log.warn({ droppedLines }, 'log lines were dropped'),
  })
  const mixin = otlpEndpoint === '' ? undefined : (await import('./spans.ts')).activeSpanIds
  const log = pino(
    {
      level: logLevel,
      base: { pid: process.pid, hostname: hostname() },
      timestamp: isoTime,
      serializers: { durationMs: inMicroseconds },
      ...(mixin && { mixin }),
    },
    // Asked of the file descriptor: `process.stdout` would open it a second time.
    isatty(STANDARD_OUTPUT) ? readable(output) : output,
  )
  return {
    log,
    http: {
      request: (entry) => log.info(entry, 'request'),
      internalError: (error, requestId) => log.error({ err: error, requestId }, 'internal error'),
    },
    droppedLines: output.droppedLines,
  }
}

/** A clock cannot tell more. */
function inMicroseconds(durationMs: number): number {
  return Math.round(durationMs * 1000) / 1000
}

let latest = 0
let upToSeconds = ''

/** The present time for a line, to the millisecond; formatted once for all lines of one second. */
function isoTime(): string {
  const now = Date.now()
  const milliseconds = now % 1000
  if (now - milliseconds !== latest) {
    latest = now - milliseconds
    upToSeconds = new Date(latest).toISOString().slice(0, -'000Z'.length)
  }
  return `,"time":"${upToSeconds}${String(milliseconds).padStart(3, '0')}Z"`
}

/** Lines for people: of a request only what one looks for, such as `GET /v1/pets 200 2 ms`. */
function readable(output: LogOutput): DestinationStream {
  const hidden = 'pid,hostname'
  const formatLine = prettyFactory({ ignore: hidden, singleLine: true })
  const formatRequest = prettyFactory({
    hideObject: true,
    messageFormat: ({ method = '-', route = '(unknown path)', status, durationMs }) =>
      `${String(method)} ${String(route)} ${String(status)} ${Math.round(Number(durationMs))} ms`,
  })
  return {
    write(line) {
      output.write((line.includes('"msg":"request"') ? formatRequest : formatLine)(line))
      output.flush()
    },
  }
}

/** Logs when a client address has used up its look-ups of API keys. */
export function logLookUpLimit(log: Logger): (address: string) => void {
  return (clientAddress) => {
    log.warn({ clientAddress }, 'too many unknown API keys from this address; if it is a proxy, set TRUST_PROXY')
  }
}
