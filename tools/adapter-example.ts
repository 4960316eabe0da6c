// Builds and tests examples/persistence-adapter as another team would: outside the workspace, from tarballs, with npm.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from './public-packages.ts'
import { run } from './run-command.ts'

const SCRIPTS = ['build', 'test', 'test:node', 'check']
const SETTINGS = { PERSISTENCE_MODULE: './dist/ndjson-persistence.js', DATABASE_URL: 'served.ndjson', PORT: '0' }

/** Runs the example's scripts in a copy of it, serves from it, and resolves to what was done. Rejects with the output of what failed. */
export async function checkAdapterExample(tarballs: Readonly<Record<string, string>>, folder: string): Promise<string> {
  const project = join(folder, 'persistence-adapter')
  cpSync(join(ROOT, 'examples/persistence-adapter'), project, { recursive: true })
  const manifest = JSON.parse(readFileSync(join(project, 'package.json'), 'utf8')) as Record<string, object>
  for (const kind of ['dependencies', 'devDependencies']) {
    const names = Object.keys(manifest[kind] ?? {}).filter((name) => name in tarballs)
    Object.assign(manifest[kind] ?? {}, Object.fromEntries(names.map((name) => [name, tarballs[name]])))
  }
  const overrides = Object.fromEntries(Object.keys(tarballs).map((name) => [name, tarballs[name]]))
  writeFileSync(join(project, 'package.json'), JSON.stringify({ ...manifest, overrides }))
  await run(project, ['npm', 'install', '--no-audit', '--no-fund', '--prefer-offline'])
  for (const script of SCRIPTS) await run(project, ['npm', 'run', script])

  const body = '{"name":"Rex","categoryId":9007199254740993}'
  await serve(project, async (post) => {
    expect(await post(body, 'a'), `201 {"id":1,${body.slice(1)}`)
    // The adapter has its own copy of the domain, so the service must know its errors by their code.
    expect((await post(body.replace('Rex', 'Mia'), 'a')).slice(0, 40), '422 {"code":"idempotency_key_reused","me')
  })
  await serve(project, async (post) => expect(await post(body, 'a'), `201 {"id":1,${body.slice(1)}`))
  return `examples/persistence-adapter: npm run ${SCRIPTS.join(', ')}; and serves`
}

function expect(actual: string, expected: string): void {
  if (actual !== expected) throw new Error(`The example responded with ${actual} instead of ${expected}.`)
}

async function serve(
  project: string,
  work: (post: (body: string, key: string) => Promise<string>) => Promise<void>,
): Promise<void> {
  const service = spawn(process.execPath, [join(ROOT, 'apps/api/bin/pet-store.js'), 'start'], {
    cwd: project,
    env: { PATH: process.env['PATH'], ...SETTINGS },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let output = ''
  const ended = once(service, 'exit')
  try {
    for await (const text of service.stdout.setEncoding('utf8')) {
      output += text
      if (output.includes('Stop it with')) break
    }
    const [, url = ''] = /Address +(\S+)/.exec(output) ?? []
    const [, key = ''] = /API key +(\S+)/.exec(output) ?? []
    await work(async (body, idempotencyKey) => {
      const headers = {
        Authorization: `Bearer ${key}`,
        'Content-Type': 'application/json',
        'Idempotency-Key': idempotencyKey,
      }
      const response = await fetch(`${url}/pets`, { method: 'POST', headers, body })
      return `${response.status} ${await response.text()}`
    })
  } finally {
    service.kill()
    await ended
  }
}
