// Prints the source files that one `POST /v1/pets` on SQLite moves through, in order:
// `node tools/docs/request-trail.ts`. ARCHITECTURE.md describes them, and a test compares the two.
// The program runs from source. V8's coverage says which functions such a request calls, after an
// equal one, so that what runs only once (compiling, caching the key) is not counted; a breakpoint
// at the beginning of each of them says in which order.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { setTimeout } from 'node:timers/promises'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { ROOT } from '../root.ts'

const SOURCE = pathToFileURL(join(ROOT, '/')).href

/** Where a request begins, and where it ends once its connection is free for the next one. */
const BEGINNING = 'packages/http-express/src/server/handle-connections.ts'
const END = 'packages/http-express/src/server/connection.ts'

/** The log writes what it has collected at an interval too, whatever request is under way. */
const LOG = 'apps/api/src/observability/log.ts'
const LOG_OUTPUT = 'apps/api/src/observability/log-output.ts'

/** How long work goes on after the response, such as the log line. */
const AFTER_RESPONSE_MS = 2000

/**
 * The files below packages and apps in which a function was called, one after the other; a file
 * that is called again after another one is there again.
 */
export async function requestTrail(): Promise<string[]> {
  const folder = mkdtempSync(join(tmpdir(), 'request-trail-'))
  const main = join(ROOT, 'apps/api/src/main.ts')
  const flags = ['--inspect=127.0.0.1:0', '--conditions=@pet-store/source']
  const service = spawn(process.execPath, [...flags, main, 'start'], {
    cwd: folder,
    // Without the settings of this process, whose database would get the pets. Cached code has no
    // positions, which the coverage needs.
    env: { PATH: process.env['PATH'], PORT: '0', NODE_DISABLE_COMPILE_CACHE: '1' },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  try {
    const debuggerUrl = await found(service.stderr, /ws:\S+/)
    const base = await found(service.stdout, /http:\/\/127\.0\.0\.1:\d+\/v1/)
    const key = readFileSync(join(folder, 'data/development-api-key'), 'utf8').trim()
    const post = () => addPet(base, key)
    await using inspector = await Inspector.connect(debuggerUrl)
    await post()
    const functions = await inspector.functionsCalledIn(post)
    const all = await inspector.orderOfCalls(functions, post)
    const trail = all.filter((file, index) => file !== LOG_OUTPUT || all[index - 1] === LOG)
    // What comes later, such as writing the log's buffer, is done for many requests at once; on a
    // busy machine that of an earlier request comes before.
    return trail.slice(trail.indexOf(BEGINNING), trail.lastIndexOf(END) + 1)
  } finally {
    service.kill('SIGKILL')
    await once(service, 'close')
    rmSync(folder, { recursive: true })
  }
}

/** The first match in the lines of an output, which is read on. */
async function found(output: Readable, pattern: RegExp): Promise<string> {
  const lines = createInterface(output)
  return new Promise((resolve, reject) => {
    let text = ''
    lines.on('line', (line) => {
      text += `${line}\n`
      const [match] = pattern.exec(line) ?? []
      if (match !== undefined) resolve(match)
    })
    lines.on('close', () => reject(new Error(`The service has stopped:\n${text}`)))
  })
}

async function addPet(base: string, key: string): Promise<void> {
  const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' }
  const body = JSON.stringify({ name: 'Rex', categoryId: 1, status: 'available' })
  const response = await fetch(`${base}/pets`, { method: 'POST', headers, body })
  if (response.status !== 201)
    throw new Error(`POST /v1/pets: ${response.status} ${await response.text()}`)
  await response.text()
  await setTimeout(AFTER_RESPONSE_MS)
}

interface CalledFunction {
  readonly scriptId: string
  readonly file: string
  readonly startOffset: number
}

interface Coverage {
  readonly result: readonly {
    readonly scriptId: string
    readonly url: string
    readonly functions: readonly {
      readonly ranges: readonly { readonly startOffset: number; readonly count: number }[]
    }[]
  }[]
}

interface Message {
  readonly id?: number
  readonly method?: string
  readonly params?: { readonly hitBreakpoints?: readonly string[] }
  readonly result?: unknown
}

/** Node's inspector, by the protocol of the Chrome DevTools. */
class Inspector implements AsyncDisposable {
  readonly #socket: WebSocket
  readonly #waiting = new Map<number, (result: unknown) => void>()
  #onPause: (breakpoints: readonly string[]) => void = () => {}
  #lastId = 0

  constructor(socket: WebSocket) {
    this.#socket = socket
    socket.addEventListener('message', ({ data }) => this.#receive(JSON.parse(String(data))))
  }

  static async connect(url: string): Promise<Inspector> {
    const socket = new WebSocket(url)
    await once(socket, 'open')
    return new Inspector(socket)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#socket.close()
  }

  async functionsCalledIn(work: () => Promise<void>): Promise<CalledFunction[]> {
    await this.#send('Profiler.enable')
    await this.#send('Profiler.startPreciseCoverage', { callCount: true, detailed: false })
    await work()
    const { result } = (await this.#send('Profiler.takePreciseCoverage')) as Coverage
    return result
      .filter(({ url }) => url.startsWith(SOURCE) && !url.includes('/node_modules/'))
      .flatMap(({ scriptId, url, functions }) =>
        functions
          .flatMap(({ ranges: [range] }) => range ?? [])
          .filter(({ startOffset, count }) => startOffset > 0 && count > 0)
          .map(({ startOffset }) => ({ scriptId, file: fileURLToPath(url), startOffset })),
      )
  }

  async orderOfCalls(
    functions: readonly CalledFunction[],
    work: () => Promise<void>,
  ): Promise<string[]> {
    const trail: string[] = []
    const files = new Map<string, string>()
    // Before there are breakpoints: work in the background may stop at one at once.
    this.#onPause = ([breakpoint = '']) => {
      const file = files.get(breakpoint)
      if (file !== undefined && file !== trail.at(-1)) trail.push(file)
      void this.#send('Debugger.resume')
    }
    await this.#send('Debugger.enable')
    for (const { scriptId, file, startOffset } of functions) {
      // What lies at the beginning itself may be the end of the function around it.
      const location = { scriptId, ...positionOf(file, startOffset + 1) }
      const { breakpointId } = (await this.#send('Debugger.setBreakpoint', { location })) as {
        readonly breakpointId: string
      }
      files.set(breakpointId, relative(ROOT, file))
    }
    trail.length = 0
    await work()
    return trail
  }

  #send(method: string, params: object = {}): Promise<unknown> {
    this.#lastId += 1
    const id = this.#lastId
    this.#socket.send(JSON.stringify({ id, method, params }))
    return new Promise((resolve) => this.#waiting.set(id, resolve))
  }

  #receive({ id, method, params, result }: Message): void {
    if (id !== undefined) this.#waiting.get(id)?.(result)
    if (method === 'Debugger.paused') this.#onPause(params?.hitBreakpoints ?? [])
  }
}

/** Type annotations are replaced by spaces, so positions are those of the file. */
function positionOf(file: string, offset: number): { lineNumber: number; columnNumber: number } {
  const before = readFileSync(file, 'utf8').slice(0, offset)
  const lineNumber = before.split('\n').length - 1
  return { lineNumber, columnNumber: offset - (before.lastIndexOf('\n') + 1) }
}

if (import.meta.main) {
  const trail = await requestTrail()
  console.log(trail.join('\n'))
  console.log(`${trail.length} moves through ${new Set(trail).size} files`)
}
