// Builds and tests examples/persistence-adapter as another team would: outside the workspace, from tarballs, with npm.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT, run } from './public-packages.ts'

const SCRIPTS = ['build', 'test', 'test:node', 'check']
const SETTINGS = { PERSISTENCE_MODULE: './dist/ndjson-persistence.js', DATABASE_URL: 'served.ndjson', PORT: '0' }

/** Runs the example's scripts in a copy of it, serves from it, and resolves to what was done. Rejects with the output of what failed. */
export async function checkAdapterExample(tarballs: Readonly<Record<string, string>>, folder: string): Promise<string> {
  const project = join(folder, 'persistence-adapter')
  cpSync(join(ROOT, 'examples/persistence-adapter'), project, { recursive: true })
  const manifest = readFileSync(join(project, 'package.json'), 'utf8')
  const installed = manifest.replaceAll(
    /"(@pet-store\/[\w-]+)": ".*"/g,
    (_, name: string) => `"${name}": "${tarballs[name]}"`,
  )
  writeFileSync(join(project, 'package.json'), installed)
  await run(project, ['npm', 'install', '--no-audit', '--no-fund', '--prefer-offline'])
  for (const script of SCRIPTS) await run(project, ['npm', 'run', script])

  const rex = { name: 'Rex', categoryId: 7 }
  const added = '201 {"id":1,"name":"Rex","categoryId":7}'
  // The adapter has its own copy of the domain, so the service must know its errors by their code.
  const reused = '422 {"code":"idempotency_key_reused"'
  await serve(project, [rex, added], [{ ...rex, name: 'Mia' }, reused])
  await serve(project, [rex, added])
  return `examples/persistence-adapter: npm run ${SCRIPTS.join(', ')}; and serves`
}

/** Serves from the example and adds pets, all with one idempotency key; each response starts as given. */
async function serve(project: string, ...requests: readonly (readonly [pet: object, start: string])[]): Promise<void> {
  const service = spawn(process.execPath, [join(ROOT, 'apps/api/bin/pet-store.js'), 'start'], {
    cwd: project,
    env: { PATH: process.env['PATH'], ...SETTINGS },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = once(service, 'exit')
  try {
    let output = ''
    for await (const text of service.stdout.setEncoding('utf8')) {
      output += text
      if (output.includes('Stop it with')) break
    }
    const [, url = ''] = /Address +(\S+)/.exec(output) ?? []
    const [, key = ''] = /API key +(\S+)/.exec(output) ?? []
    const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json', 'Idempotency-Key': 'a' }
    for (const [pet, start] of requests) {
      const response = await fetch(`${url}/pets`, { method: 'POST', headers, body: JSON.stringify(pet) })
      const shown = `${response.status} ${await response.text()}`
      if (!shown.startsWith(start)) throw new Error(`The example responded with ${shown} instead of ${start}.`)
    }
  } finally {
    service.kill()
    await ended
  }
}
