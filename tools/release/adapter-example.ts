// Builds and tests examples/persistence-adapter as another team would: outside the workspace, from
// tarballs, with npm.
import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ask, startProgram, waitForOutput } from '../../packages/testing/src/index.ts'
import { ROOT } from '../root.ts'
import { run } from '../run-command.ts'

const SCRIPTS = ['build', 'test', 'test:node', 'check']
const SETTINGS = {
  PERSISTENCE_MODULE: './dist/ndjson-persistence.js',
  DATABASE_URL: 'served.ndjson',
  PORT: '0',
}

/**
 * Runs the example's scripts in a copy of it, serves from it, and resolves to what was done.
 * Rejects with the output of what failed.
 */
export async function checkAdapterExample(
  tarballs: Readonly<Record<string, string>>,
  folder: string,
): Promise<string> {
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

/**
 * Serves from the example and adds pets, all with one idempotency key; each response starts as
 * given.
 */
async function serve(
  project: string,
  ...requests: readonly (readonly [pet: object, start: string])[]
): Promise<void> {
  const args = [join(ROOT, 'apps/api/bin/pet-store.js'), 'start']
  const service = startProgram({ args, cwd: project, env: SETTINGS })
  try {
    const port = Number(await waitForOutput(service, /Address +http:\/\/\S+?:(\d+)/))
    const key = await waitForOutput(service, /API key +(\S+)/)
    for (const [pet, start] of requests) {
      const headers = { 'Idempotency-Key': 'a' }
      const response = await ask(port, {
        method: 'POST',
        path: '/v1/pets',
        key,
        headers,
        body: JSON.stringify(pet),
      })
      const shown = `${response?.status} ${response?.text}`
      if (!shown.startsWith(start))
        throw new Error(`The example responded with ${shown} instead of ${start}.`)
    }
  } finally {
    await service.end()
  }
}
