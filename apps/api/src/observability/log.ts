import { hostname } from 'node:os'
import { isatty } from 'node:tty'
import type { Checks, HttpLog } from '@pet-store/http-express'
import pino, { type DestinationStream, type Logger } from 'pino'
import type { Settings } from '../settings/settings.ts'
import { VERSION } from '../settings/version.ts'
import type { KeyChange } from './key-changes.ts'
import { type LogOutput, openLogOutput } from './log-output.ts'
import { createOutageLog } from './outage-log.ts'

const STANDARD_OUTPUT = 1

/** The program's log, and what the parts of the program report to it. */
export interface ProgramLog {
  readonly log: Logger
  readonly reports: Reports
}

/** What `compose` reports. */
export interface Reports {
  /** One line for each request; internal errors with their cause and stack. */
  readonly log: HttpLog
  /** How many lines were dropped since the start, because the output was full or closed. */
  readonly droppedLogLines: () => number
  /** Called each time that the program becomes ready, or is ready no more, with the reason if there is one. */
  readonly onReadiness: (checks: Checks, isReady: boolean, reason?: unknown) => void
  /** Called when a client address has used up its look-ups of API keys. */
  readonly onLookUpLimit: (address: string) => void
  /** Called when somebody created, rotated or revoked an API key, whichever process did it. */
  readonly onKeyChange: (change: KeyChange) => void
  /** Called when traces could not be sent. */
  readonly onTraceError: (error: unknown) => void
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
      base: { pid: process.pid, hostname: hostname(), version: VERSION },
      timestamp: pino.stdTimeFunctions.isoTime,
      serializers: { durationMs: inMicroseconds },
      ...(mixin && { mixin }),
    },
    // Asked of the file descriptor: `process.stdout` would open it a second time.
    isatty(STANDARD_OUTPUT) ? await readable(output) : output,
  )
  const outage = createOutageLog(log)
  const reports: Reports = {
    log: {
      request(entry) {
        log.info(entry, 'request')
        outage.request(entry)
      },
      unavailable: outage.unavailable,
      internalError: (error, requestId) => log.error({ err: error, requestId }, 'internal error'),
    },
    droppedLogLines: output.droppedLines,
    onReadiness(checks, isReady, reason) {
      if (isReady) log.info({ checks }, 'ready again')
      else log.warn({ checks, ...(reason !== undefined && { err: reason }) }, 'not ready')
    },
    onLookUpLimit: (clientAddress) =>
      log.warn({ clientAddress }, 'too many unknown API keys from this address; if it is a proxy, set TRUST_PROXY'),
    onKeyChange: ({ change, ...fields }) => log.info(fields, `API key ${change}`),
    onTraceError: atMostEvery(60_000, (err) => log.warn({ err }, 'traces could not be sent')),
  }
  return { log, reports }
}

function atMostEvery<Value>(intervalMs: number, report: (value: Value) => void): (value: Value) => void {
  let next = Number.NEGATIVE_INFINITY
  return (value) => {
    const now = performance.now()
    if (now < next) return
    next = now + intervalMs
    report(value)
  }
}

/** A clock cannot tell more. */
function inMicroseconds(durationMs: number): number {
  return Math.round(durationMs * 1000) / 1000
}

/** Lines for people: of a request only what one looks for, such as `GET /v1/pets 200 2 ms`. */
async function readable(output: LogOutput): Promise<DestinationStream> {
  // Its default export: bundled CommonJS has no other.
  const { prettyFactory } = (await import('pino-pretty')).default
  const hidden = 'pid,hostname,version'
  const formatLine = prettyFactory({ ignore: hidden, singleLine: true })
  const formatRequest = prettyFactory({
    ignore: hidden,
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
