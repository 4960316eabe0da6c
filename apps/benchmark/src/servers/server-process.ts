import { spawnSync } from 'node:child_process'
import { closeSync, openSync, readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import {
  type RunningProgram,
  startProgram,
  temporaryFolder,
  waitForResponse,
} from '@pet-store/testing'
import { freePort } from '@pet-store/testing-postgres'
import { API_KEY, API_KEY_SHA256 } from '../requests/request.ts'
import { type Contestant, PROGRAM } from './contestants.ts'

/** Where servers run; `undefined` without `taskset` or a second core. */
let serverCore: number | undefined

/**
 * Keeps the last core for the servers that are measured. This process, and with it the database
 * server that it starts, moves to the others. Returns a description of who runs where.
 */
export function pinProcesses(): string {
  const last = availableParallelism() - 1
  const others = Array.from({ length: last }, (_, core) => core).join(',')
  const isPinned =
    last > 0 && spawnSync('taskset', ['-acp', others, String(process.pid)]).status === 0
  if (!isPinned) return 'not pinned: taskset or a second core is missing'
  serverCore = last
  return `server on core ${last}; client and database on ${others}`
}

/** A contestant as a process of its own. */
export interface RunningServer extends Pick<RunningProgram, 'pid' | 'memoryMiB' | 'end'> {
  readonly port: number
  /** From the start of the process to its first response. */
  readonly firstResponseMs: number
}

/**
 * Starts a contestant and waits for its first response. If other processes listen on the same port,
 * it waits for a response on the port of the metrics, which only this process has.
 */
export async function startServer(
  { program, settings, runtime }: Contestant,
  databaseUrl: string,
  sharedPort?: number,
): Promise<RunningServer> {
  const port = sharedPort ?? (await freePort())
  const metricsPort = sharedPort === undefined ? 0 : await freePort()
  // What it writes, above all its access log, goes to a file, as it would under a supervisor.
  const logFile = join(await temporaryFolder(), 'server.log')
  const log = openSync(logFile, 'a')
  const env = {
    NODE_ENV: 'production',
    HOST: '127.0.0.1',
    PORT: String(port),
    DATABASE_URL: databaseUrl,
    API_KEYS_SHA256: API_KEY_SHA256,
    // Our service collects metrics while it is measured; the others do not know this setting.
    METRICS_PORT: String(metricsPort),
    ...settings,
  }
  const start = performance.now()
  // V8's memory reducer would discard the compiled code of a server that waits for its slice.
  const running = startProgram({
    // An option of Node alone.
    args: [...(runtime === undefined ? ['--no-memory-reducer'] : []), ...program],
    runtime,
    env,
    output: log,
    core: serverCore,
  })
  closeSync(log)
  const response =
    sharedPort === undefined
      ? waitForResponse(running, port, { path: '/v1/pets?limit=20', key: API_KEY })
      : waitForResponse(running, metricsPort, { path: '/metrics' })
  await response.catch(async (cause) => {
    await running.end()
    throw new Error(
      `${program.join(' ')} does not respond:\n${readFileSync(logFile, 'utf8').slice(-2_000)}`,
      { cause },
    )
  })
  return { ...running, port, firstResponseMs: performance.now() - start }
}

/**
 * A command of ours that has run to its end: from its start, and its resident memory at its
 * highest.
 */
export interface CommandRun {
  readonly seconds: number
  readonly peakMiB: number
}

/**
 * Runs a command of our program as a user does, on the server's core. Rejects with its output when
 * it fails.
 */
export async function runCommand(
  args: readonly string[],
  databaseUrl: string,
): Promise<CommandRun> {
  const start = performance.now()
  const env = { NODE_ENV: 'production', DATABASE_URL: databaseUrl }
  const running = startProgram({ args: [PROGRAM, ...args], env, core: serverCore })
  // Once a process has ended the kernel no longer knows its memory, so it is read often.
  let peakMiB = 0
  const reading = setInterval(() => {
    if (running.isRunning) peakMiB = Math.max(peakMiB, running.memoryMiB('VmHWM') || 0)
  }, 10)
  const code = await running.ended
  clearInterval(reading)
  const { stdout, stderr } = running.output
  if (code !== 0) throw new Error(`pet-store ${args.join(' ')} fails:\n${stdout}${stderr}`)
  return { seconds: (performance.now() - start) / 1000, peakMiB }
}
