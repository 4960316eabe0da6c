// Prints the source files that run while the service handles one `POST /v1/pets` on SQLite: `node tools/request-trail.ts`.
// ARCHITECTURE.md describes them, and a test compares the two. The program runs from source with V8's precise coverage,
// started after an equal request, so that what runs only once (compiling, caching the key) is not counted.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { pathToFileURL } from 'node:url'

const ROOT = join(import.meta.dirname, '..')

/** Runs inside the service: covers everything between two messages of the parent. */
const COVERAGE = `
import { Session } from 'node:inspector'
const session = new Session()
session.connect()
const post = (method, parameters) => new Promise((resolve) => session.post(method, parameters, (_error, result) => resolve(result)))
await post('Profiler.enable')
process.on('message', async (message) => {
  if (message === 'start') await post('Profiler.startPreciseCoverage', { callCount: true, detailed: false })
  process.send(message === 'start' ? [] : (await post('Profiler.takePreciseCoverage')).result)
})
`

interface ScriptCoverage {
  readonly url: string
  readonly functions: readonly {
    readonly ranges: readonly { readonly startOffset: number; readonly count: number }[]
  }[]
}

/** The files below packages and apps of which a function was called, sorted. */
export async function requestTrail(): Promise<string[]> {
  const folder = mkdtempSync(join(tmpdir(), 'request-trail-'))
  const coverage = `data:text/javascript,${encodeURIComponent(COVERAGE)}`
  const main = join(ROOT, 'apps/api/src/main.ts')
  const service = spawn(process.execPath, ['--conditions=@pet-store/source', '--import', coverage, main, 'start'], {
    cwd: folder,
    // Cached code has no positions, which the coverage needs.
    env: { ...process.env, PORT: '0', NO_COLOR: '1', NODE_DISABLE_COMPILE_CACHE: '1' },
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  })
  try {
    const address = await new Promise<string>((resolve, reject) => {
      let output = ''
      service.on('exit', () => reject(new Error(`The service has stopped:\n${output}`)))
      service.stdout?.setEncoding('utf8').on('data', (text: string) => {
        output += text
        const found = /http:\/\/127\.0\.0\.1:\d+\/v1/.exec(output)?.[0]
        if (found !== undefined) resolve(found)
      })
    })
    const key = readFileSync(join(folder, 'data/development-api-key'), 'utf8').trim()
    const post = async () => {
      const response = await fetch(`${address}/pets`, {
        method: 'POST',
        headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
        body: JSON.stringify({ name: 'Rex', categoryId: 1, status: 'available' }),
      })
      if (response.status !== 201) throw new Error(`POST /v1/pets: ${response.status} ${await response.text()}`)
      await response.arrayBuffer()
    }
    const ask = async (message: string) => {
      service.send(message)
      const [result] = (await once(service, 'message')) as [ScriptCoverage[]]
      return result
    }
    await post()
    await ask('start')
    await post()
    return filesIn(await ask('take'))
  } finally {
    service.removeAllListeners('exit')
    service.kill('SIGKILL')
    await once(service, 'close')
    rmSync(folder, { recursive: true })
  }
}

function filesIn(scripts: readonly ScriptCoverage[]): string[] {
  const root = pathToFileURL(join(ROOT, '/')).href
  return scripts
    .filter(({ url }) => url.startsWith(root) && !url.includes('/node_modules/'))
    .filter(({ functions }) =>
      functions.some(({ ranges: [range] }) => range !== undefined && range.startOffset > 0 && range.count > 0),
    )
    .map(({ url }) => relative(ROOT, new URL(url).pathname))
    .sort()
}

if (import.meta.main) console.log((await requestTrail()).join('\n'))
