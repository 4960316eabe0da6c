// Serves one request and stores the compiled code of all that it took, for every later start. The last part of the build.
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { get } from 'node:http'
import { flushCompileCache } from 'node:module'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const KEY = 'warm-up'
const folder = mkdtempSync(join(tmpdir(), 'pet-store-'))
const port = await freePort()
Object.assign(process.env, {
  HOST: '127.0.0.1',
  PORT: String(port),
  METRICS_PORT: '0',
  DATABASE_URL: `sqlite:${join(folder, 'pet-store.db')}`,
  API_KEYS_SHA256: createHash('sha256').update(KEY).digest('hex'),
  LOG_LEVEL: 'silent',
})
try {
  // By another process: starts of a database that is migrated should not read the code that migrates it.
  const program = fileURLToPath(new URL('./pet-store.js', import.meta.url))
  execFileSync(process.execPath, [program, 'migrate'], {
    env: { ...process.env, NODE_DISABLE_COMPILE_CACHE: '1' },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  process.argv.push('serve')
  await import('./pet-store.js')
  await request('/v1/pets')
  flushCompileCache()
} finally {
  rmSync(folder, { recursive: true })
}
process.exit()

function freePort() {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address()
      server.close(() => resolve(port))
    })
  })
}

function request(path) {
  return new Promise((resolve, reject) => {
    const options = { host: '127.0.0.1', port, path, agent: false, headers: { Authorization: `Bearer ${KEY}` } }
    get(options, (response) => response.resume().on('end', resolve)).on('error', reject)
  })
}
