// Prints the source files that run while the service handles one `POST /v1/pets` on SQLite:
// `node tools/request-trail.ts`. ARCHITECTURE.md describes them, and a test compares the two. The
// program runs from source with V8's coverage, which starts anew after an equal request, so that
// what runs only once (compiling, caching the key) is not counted.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { pathToFileURL } from 'node:url'

const ROOT = join(import.meta.dirname, '..')
/** Runs inside the service: writes the coverage since the last message of the parent. */
const COVERAGE = `import { takeCoverage } from 'node:v8'
process.on('message', () => process.send(takeCoverage() ?? 'written'))`

interface Coverage {
  readonly result: readonly {
    readonly url: string
    readonly functions: readonly {
      readonly ranges: readonly { readonly startOffset: number; readonly count: number }[]
    }[]
  }[]
}

/** The files below packages and apps of which a function was called, sorted. */
export async function requestTrail(): Promise<string[]> {
  const folder = mkdtempSync(join(tmpdir(), 'request-trail-'))
  const coverage = `data:text/javascript,${encodeURIComponent(COVERAGE)}`
  const main = join(ROOT, 'apps/api/src/main.ts')
  const service = spawn(
    process.execPath,
    ['--conditions=@pet-store/source', '--import', coverage, main, 'start'],
    {
      cwd: folder,
      // Cached code has no positions, which the coverage needs.
      env: {
        ...process.env,
        PORT: '0',
        NODE_DISABLE_COMPILE_CACHE: '1',
        NODE_V8_COVERAGE: join(folder, 'coverage'),
      },
      stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
    },
  )
  try {
    let output = ''
    for await (const text of service.stdout?.setEncoding('utf8') ?? []) {
      output += text
      if (output.includes('Stop it with')) break
    }
    const [address] = /http:\/\/127\.0\.0\.1:\d+\/v1/.exec(output) ?? []
    if (address === undefined) throw new Error(`The service has stopped:\n${output}`)
    const key = readFileSync(join(folder, 'data/development-api-key'), 'utf8').trim()
    const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' }
    const body = JSON.stringify({ name: 'Rex', categoryId: 1, status: 'available' })
    for (let count = 0; count < 2; count += 1) {
      const response = await fetch(`${address}/pets`, { method: 'POST', headers, body })
      if (response.status !== 201)
        throw new Error(`POST /v1/pets: ${response.status} ${await response.text()}`)
      service.send('take')
      await once(service, 'message')
    }
    const last = globSync(`coverage/coverage-${service.pid}-*`, { cwd: folder }).sort().at(-1) ?? ''
    return filesIn(JSON.parse(readFileSync(join(folder, last), 'utf8')) as Coverage)
  } finally {
    service.kill('SIGKILL')
    await once(service, 'close')
    rmSync(folder, { recursive: true })
  }
}

function filesIn({ result }: Coverage): string[] {
  const root = pathToFileURL(join(ROOT, '/')).href
  return result
    .filter(({ url }) => url.startsWith(root) && !url.includes('/node_modules/'))
    .filter(({ functions }) =>
      functions.some(
        ({ ranges: [range] }) => range !== undefined && range.startOffset > 0 && range.count > 0,
      ),
    )
    .map(({ url }) => relative(ROOT, new URL(url).pathname))
    .sort()
}

if (import.meta.main) console.log((await requestTrail()).join('\n'))
