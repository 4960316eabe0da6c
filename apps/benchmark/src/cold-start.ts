import { setTimeout as wait } from 'node:timers/promises'
import { type ServerOptions, startServer } from './server-process.ts'

/** A start from nothing. */
export interface ColdStart {
  readonly firstAnswerMs: number
  /** Resident memory once nothing happens any more. */
  readonly restMiB: number
}

const REST_MS = 300

/** Starts a contestant, waits for its first answer, lets it rest, and ends it. */
export async function coldStart(options: ServerOptions): Promise<ColdStart> {
  const server = await startServer(options)
  await wait(REST_MS)
  const restMiB = server.memoryMiB('VmRSS')
  await server.stop()
  return { firstAnswerMs: server.firstAnswerMs, restMiB }
}
