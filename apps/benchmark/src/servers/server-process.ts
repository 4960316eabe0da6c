import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { freePort } from '@pet-store/testing-postgres'
import type { MeasuredServer } from '../measuring/slice.ts'
import { API_KEY_SHA256, send } from '../requests/request.ts'
import { onServerCore, serverCore } from './pinning.ts'

/** A contestant as a process of its own. */
export interface RunningServer extends MeasuredServer {
  /** From the start of the process to the end of its first response. */
  readonly firstResponseMs: number
  /** Resident memory now, or at its highest so far. */
  memoryMiB(field: 'VmRSS' | 'VmHWM'): number
  /** Asks it to end, and waits until it has. */
  stop(): Promise<void>
}

export interface ServerOptions {
  /** Arguments of `node`. */
  readonly program: readonly string[]
  readonly databaseUrl: string
  /** Environment variables besides those that everybody gets. */
  readonly settings?: Readonly<Record<string, string>>
}

// With the reducer on, a server that waits for its turn throws its compiled code away.
const NODE_FLAGS = ['--no-memory-reducer']
const START_TIMEOUT_MS = 30_000

/** Starts a contestant and waits for its first response. */
export async function startServer({ program, databaseUrl, settings }: ServerOptions): Promise<RunningServer> {
  const port = await freePort()
  // What it writes, above all its access log, goes to a file, as it would under a supervisor.
  const folder = mkdtempSync(join(tmpdir(), 'pet-store-log-'))
  const logFile = join(folder, 'server.log')
  const log = openSync(logFile, 'a')
  const [command = '', ...args] = onServerCore([process.execPath, ...NODE_FLAGS, ...program])
  const start = performance.now()
  const child = spawn(command, args, {
    // No setting of the surrounding shell reaches it.
    env: {
      PATH: process.env['PATH'],
      NODE_ENV: 'production',
      HOST: '127.0.0.1',
      PORT: String(port),
      DATABASE_URL: databaseUrl,
      API_KEYS_SHA256: API_KEY_SHA256,
      // Our service collects metrics while it is measured; the others do not know this setting.
      METRICS_PORT: '0',
      ...settings,
    },
    stdio: ['ignore', log, log],
  })
  closeSync(log)
  endWithThisProcess(child)
  const removeLog = () => rmSync(folder, { recursive: true })
  try {
    await firstResponse(child, port)
  } catch (cause) {
    child.kill('SIGKILL')
    const output = readFileSync(logFile, 'utf8').slice(-2_000)
    removeLog()
    throw new Error(`${program.join(' ')} does not respond (${(cause as Error).message}):\n${output}`, { cause })
  }
  const firstResponseMs = performance.now() - start
  return {
    pid: child.pid ?? 0,
    port,
    isAlone: serverCore !== undefined,
    firstResponseMs,
    memoryMiB: (field) => memoryMiB(readFileSync(`/proc/${child.pid}/status`, 'utf8'), field),
    async stop() {
      if (child.exitCode === null && child.signalCode === null) {
        const ended = once(child, 'exit')
        child.kill('SIGTERM')
        await ended
      }
      removeLog()
    },
  }
}

async function firstResponse(child: ChildProcess, port: number): Promise<void> {
  const deadline = performance.now() + START_TIMEOUT_MS
  for (;;) {
    try {
      const { status, body } = await send(port, { method: 'GET', path: '/v1/pets?limit=20' })
      if (status === 200) return
      throw new Error(`its first response is ${status}: ${body}`)
    } catch (error) {
      const isUnreachable = (error as NodeJS.ErrnoException).code !== undefined
      if (!isUnreachable || child.exitCode !== null || performance.now() >= deadline) throw error
    }
    await wait(2)
  }
}

/** Resident memory now (`VmRSS`) or at its highest (`VmHWM`): from the text of `/proc/<pid>/status`. */
export function memoryMiB(status: string, field: 'VmRSS' | 'VmHWM'): number {
  return Number(new RegExp(`^${field}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1]) / 1024
}

/** Kills a server when this process ends early. */
export function endWithThisProcess(child: ChildProcess): void {
  const end = () => child.kill('SIGKILL')
  process.once('exit', end)
  child.once('exit', () => process.off('exit', end))
}

/** A collector that accepts every trace, and the setting that makes our service send them there. */
export async function startTraceCollector(): Promise<{ settings: Record<string, string>; stop(): void }> {
  const collector = createServer((req, res) => req.resume().on('end', () => res.end('{}'))).listen(0, '127.0.0.1')
  await once(collector, 'listening')
  const { port } = collector.address() as AddressInfo
  return {
    settings: { OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}` },
    stop() {
      collector.close()
      collector.closeAllConnections()
    },
  }
}
