import { closeSync, openSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Writable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { createApiKeyText, hashApiKey } from '@pet-store/access'
import {
  ask,
  type RunningProgram,
  startProgram,
  temporaryFolder,
  type WireRequest,
  type WireResponse,
  waitForResponse,
} from '@pet-store/testing'
import { freePort } from '@pet-store/testing-postgres'
import { onTestFinished } from 'vitest'

export interface ServiceOptions {
  readonly databaseUrl: string
  readonly settings?: Readonly<Record<string, string>>
  /**
   * Standard output and standard error: a file descriptor, a pipe that nobody reads, or a stream.
   * Default: a file in its folder.
   */
  readonly output?: number | 'pipe' | Writable
  /** The port on which it listens. Default: a free one. */
  readonly port?: number
  /** Flags of Node itself. */
  readonly nodeFlags?: readonly string[]
  /** The processor on which it runs, if the system allows to choose it. Default: any. */
  readonly core?: number
}

/** The built program, as users get it; tools/testing/build-before-tests.ts builds it. */
const PROGRAM: string = join(
  fileURLToPath(import.meta.resolve('@pet-store/api/package.json')),
  '../bin/pet-store.js',
)

const DOCKERFILE = readFileSync(new URL('../../../../Dockerfile', import.meta.url), 'utf8')
const [, IMAGE_FLAG = ''] = /^ENV NODE_OPTIONS="(\S+) --max-old-space/m.exec(DOCKERFILE) ?? []

/**
 * The flags of Node in a container of 512 MB: those of the image, and half of the memory as the
 * limit of the heap. Without a limit V8 collects less garbage on a large machine. With 24 GiB the
 * memory reached 600 MiB while a table was locked, of which a collection would leave 22 MiB.
 */
export const CONTAINER_OF_512_MB: readonly string[] = [IMAGE_FLAG, '--max-old-space-size=256']

/** The service in a process of its own. Each start has the same address and the same keys. */
export class Service {
  readonly port: number
  readonly key = createApiKeyText()
  /** For clients that must not share the limits of `key`. */
  readonly otherKey = createApiKeyText()
  readonly folder: string
  readonly #options: ServiceOptions
  #running: RunningProgram | undefined

  private constructor(port: number, folder: string, options: ServiceOptions) {
    this.port = port
    this.folder = folder
    this.#options = options
  }

  /** Starts a service, whose process ends after the test. */
  static async start(options: ServiceOptions): Promise<Service> {
    const service = await Service.prepare(options)
    await service.start()
    return service
  }

  /** Prepares a service without starting it. */
  static async prepare(options: ServiceOptions): Promise<Service> {
    const service = new Service(
      options.port ?? (await freePort()),
      await temporaryFolder(),
      options,
    )
    onTestFinished(async () => {
      await service.end('SIGKILL')
    })
    return service
  }

  /** Starts the process, and waits until the service is ready. */
  async start(): Promise<void> {
    const { databaseUrl, settings, output, nodeFlags = [], core } = this.#options
    const log = join(this.folder, 'service.log')
    const target = output ?? openSync(log, 'a')
    this.#running = startProgram({
      args: [...nodeFlags, PROGRAM, 'serve'],
      cwd: this.folder,
      env: {
        PORT: String(this.port),
        DATABASE_URL: databaseUrl,
        API_KEYS_SHA256: `faults=${hashApiKey(this.key)},other=${hashApiKey(this.otherKey)}`,
        ...settings,
      },
      output: target,
      core,
    })
    if (output === undefined && typeof target === 'number') closeSync(target)
    await waitForResponse(this.#running, this.port, { path: '/readyz' }).catch((cause: Error) => {
      throw new Error(
        `${cause.message}\n${output === undefined ? readFileSync(log, 'utf8') : ''}`,
        { cause },
      )
    })
  }

  /** The process that runs now, or ran last. */
  get process(): RunningProgram {
    if (this.#running === undefined) throw new Error('The service has not been started.')
    return this.#running
  }

  get isRunning(): boolean {
    return this.#running?.isRunning === true
  }

  /** Sends a signal, waits for the end, and returns the exit code or the signal that ended it. */
  async end(signal: NodeJS.Signals): Promise<number | NodeJS.Signals | undefined> {
    return this.#running?.end(signal)
  }

  /** Sends one request with the key of the service, on a connection of its own. */
  ask(request: WireRequest, timeoutMs?: number): Promise<WireResponse | undefined> {
    return ask(this.port, { key: this.key, ...request }, timeoutMs)
  }

  /** The highest resident memory so far, in MiB. */
  get peakMiB(): number {
    return Math.round(this.process.memoryMiB('VmHWM'))
  }
}

export interface CommandResult {
  /** The exit code, or the signal that ended it. */
  readonly exit: number | NodeJS.Signals
  /** What the command has printed. */
  readonly stdout: string
  readonly stderr: string
}

/** Runs a command of the program to its end. */
export async function runCommand(
  args: readonly string[],
  cwd: string,
  env: Readonly<Record<string, string>>,
): Promise<CommandResult> {
  const command = startProgram({ args: [PROGRAM, ...args], cwd, env })
  return { exit: await command.ended, ...command.output }
}
