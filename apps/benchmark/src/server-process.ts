import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { freePort } from '@pet-store/testing-postgres'
import { API_KEY, API_KEY_SHA256 } from './api-key.ts'
import { ask } from './ask.ts'
import type { Pinning } from './pinning.ts'
import { cpuSeconds, memoryMiB } from './process-figures.ts'

/** A contestant as a process of its own. */
export interface RunningServer {
  readonly port: number
  /** From the start of the process to the end of its first answer, in milliseconds. */
  readonly firstAnswerMs: number
  /** CPU time so far, in seconds. */
  cpuSeconds(): number
  /** Resident memory now, or at its highest so far, in MiB. */
  memoryMiB(when: 'VmRSS' | 'VmHWM'): number
  /** Ends it in order, and waits until it has ended. */
  stop(): Promise<void>
}

export interface ServerOptions {
  /** Arguments of `node`. */
  readonly program: readonly string[]
  readonly databaseUrl: string
  readonly pinning: Pinning
  /** Environment variables besides those that everybody gets. */
  readonly settings?: Readonly<Record<string, string>>
}

// With the reducer on, a server that waits for its turn gives its compiled code back and runs cold when it is called.
const NODE_FLAGS = ['--no-memory-reducer']
const PATIENCE_MS = 30_000
const FIRST_REQUEST = { method: 'GET', path: '/v1/pets?limit=20' } as const

/** Starts a contestant and waits for its first answer. */
export async function startServer(options: ServerOptions): Promise<RunningServer> {
  const { program, databaseUrl, pinning, settings } = options
  const port = await freePort()
  // What it writes, its access log above all, goes to a file, as it would under a supervisor.
  const folder = mkdtempSync(join(tmpdir(), 'pet-store-log-'))
  const logFile = join(folder, 'server.log')
  const log = openSync(logFile, 'a')
  const [command = '', ...args] = pinning.onServerCore([process.execPath, ...NODE_FLAGS, ...program])
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
      // The service counts what it does while it is measured; nobody else knows this setting.
      METRICS_PORT: '0',
      ...settings,
    },
    stdio: ['ignore', log, log],
  })
  closeSync(log)
  endWithThisProcess(child)
  try {
    await firstAnswer(child, port)
  } catch (cause) {
    child.kill('SIGKILL')
    const said = readFileSync(logFile, 'utf8').slice(-2_000)
    rmSync(folder, { recursive: true })
    throw new Error(`${program.join(' ')} does not answer:\n${said}`, { cause })
  }
  const firstAnswerMs = performance.now() - start
  const read = (file: string) => readFileSync(`/proc/${child.pid}/${file}`, 'utf8')
  return {
    port,
    firstAnswerMs,
    cpuSeconds: () => cpuSeconds(read('stat')),
    memoryMiB: (when) => memoryMiB(read('status'), when),
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return
      const ended = once(child, 'exit')
      child.kill('SIGTERM')
      await ended
      rmSync(folder, { recursive: true })
    },
  }
}

async function firstAnswer(child: ChildProcess, port: number): Promise<void> {
  const giveUp = performance.now() + PATIENCE_MS
  for (;;) {
    try {
      const { status, body } = await ask(port, FIRST_REQUEST, API_KEY)
      if (status === 200) return
      throw new Error(`its first answer is ${status}: ${body}`)
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      const isStarting = code === 'ECONNREFUSED' && child.exitCode === null && performance.now() < giveUp
      if (!isStarting) throw error
    }
    await wait(2)
  }
}

/** A run that breaks off leaves no server behind. */
export function endWithThisProcess(child: ChildProcess): void {
  const end = () => child.kill('SIGKILL')
  process.once('exit', end)
  child.once('exit', () => process.off('exit', end))
}
