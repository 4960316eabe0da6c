import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync, readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Writable } from 'node:stream'
import { setTimeout } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { createApiKeyText, hashApiKey } from '@pet-store/access'
import { freePort } from '@pet-store/testing-postgres'
import { onTestFinished } from 'vitest'
import { ask, type WireRequest, type WireResponse } from './connection.ts'
import { onCore } from './open-loop.ts'

export interface ServiceOptions {
  readonly databaseUrl: string
  /** Another program in its place: the arguments of Node. */
  readonly program?: readonly string[]
  readonly settings?: Readonly<Record<string, string>>
  /** Standard output and standard error: a file descriptor, a pipe that nobody reads, or a stream. Default: a file, which `log()` reads. */
  readonly output?: number | 'pipe' | Writable
  /** Arguments of Node itself. */
  readonly nodeFlags?: readonly string[]
  /** The processor that it runs on, where the system can do that. Default: any. */
  readonly core?: number
}

/** The program that users get, which tools/build-before-tests.ts has built. */
export const PROGRAM: string = join(
  fileURLToPath(import.meta.resolve('@pet-store/api/package.json')),
  '../bin/pet-store.js',
)
/** The program of a bare server, to compare the service with. */
export const BARE_SERVER: readonly string[] = [fileURLToPath(import.meta.resolve('./bare-server-program.ts'))]
/** Linux counts the time of processes in hundredths of a second. */
const MICROS_PER_TICK = 10_000
const START_TIMEOUT_MS = 60_000

/** The service as a process of its own, at the same address with the same key each time that it runs. */
export class Service {
  readonly port: number
  readonly key = createApiKeyText()
  readonly folder: string
  readonly #options: ServiceOptions
  #child: ChildProcess | undefined

  private constructor(port: number, folder: string, options: ServiceOptions) {
    this.port = port
    this.folder = folder
    this.#options = options
  }

  /** Starts it. The process ends and its folder is removed after the test. */
  static async start(options: ServiceOptions): Promise<Service> {
    const service = await Service.prepare(options)
    await service.start()
    return service
  }

  /** Prepares it without starting. */
  static async prepare(options: ServiceOptions): Promise<Service> {
    const service = new Service(await freePort(), await mkdtemp(join(tmpdir(), 'pet-store-faults-')), options)
    onTestFinished(async () => {
      await service.end('SIGKILL')
      await rm(service.folder, { recursive: true, force: true })
    })
    return service
  }

  /** Starts it, and waits until it is ready. */
  async start(): Promise<void> {
    this.spawn()
    const end = Date.now() + START_TIMEOUT_MS
    for (;;) {
      if ((await this.ask({ path: '/readyz', key: undefined }))?.status === 200) return
      if (!this.isRunning || Date.now() > end) throw new Error(`The service does not start:\n${this.log()}`)
      await setTimeout(10)
    }
  }

  /** Starts it without waiting. */
  spawn(): ChildProcess {
    const { databaseUrl, program = [PROGRAM, 'serve'], settings, output, nodeFlags = [], core } = this.#options
    const target = output ?? openSync(this.#logFile, 'a')
    const [command, ...args] = onCore(core, [process.execPath, ...nodeFlags, ...program])
    this.#child = spawn(command, args, {
      cwd: this.folder,
      // No setting of the surrounding shell reaches it.
      env: {
        PATH: process.env['PATH'],
        PORT: String(this.port),
        DATABASE_URL: databaseUrl,
        API_KEYS_SHA256: `faults=${hashApiKey(this.key)}`,
        ...settings,
      },
      stdio: ['ignore', target, target],
    })
    if (output === undefined && typeof target === 'number') closeSync(target)
    return this.#child
  }

  get isRunning(): boolean {
    return this.#child !== undefined && this.#child.exitCode === null && this.#child.signalCode === null
  }

  get pid(): number {
    return this.#child?.pid ?? 0
  }

  /** Sends a signal and waits for the end. The exit code, or the signal that ended it; rejects after the timeout. */
  async end(signal: NodeJS.Signals, timeoutMs = 60_000): Promise<number | NodeJS.Signals | null> {
    const child = this.#child
    if (child === undefined) return null
    if (this.isRunning) {
      const exited = once(child, 'exit', { signal: AbortSignal.timeout(timeoutMs) })
      child.kill(signal)
      await exited
    }
    return child.exitCode ?? child.signalCode
  }

  /** One request with the key of the service, on a connection of its own. */
  ask(request: WireRequest, timeoutMs?: number): Promise<WireResponse | undefined> {
    return ask(this.port, { key: this.key, ...request }, timeoutMs)
  }

  /** What it has written, where that goes to a file. */
  log(): string {
    return this.#options.output === undefined ? readFileSync(this.#logFile, 'utf8') : ''
  }

  /** Resident memory now, or the highest so far, in MiB. */
  memoryMiB(when: 'VmRSS' | 'VmHWM' = 'VmRSS'): number {
    const status = readFileSync(`/proc/${this.pid}/status`, 'utf8')
    return Number(new RegExp(`^${when}:\\s+([0-9]+) kB`, 'm').exec(status)?.[1] ?? Number.NaN) / 1024
  }

  /** The time of a processor that it has used so far, in microseconds. */
  cpuMicros(): number {
    const [, fields = ''] = readFileSync(`/proc/${this.pid}/stat`, 'utf8').split(') ')
    const [user, system] = fields.split(' ').slice(11, 13).map(Number) as [number, number]
    return (user + system) * MICROS_PER_TICK
  }

  get #logFile(): string {
    return join(this.folder, 'service.log')
  }
}
