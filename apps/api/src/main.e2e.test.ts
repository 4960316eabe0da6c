import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { temporaryFolder, waitForOutput } from '@pet-store/testing'
import { expect, it, onTestFinished } from 'vitest'
import { ENVIRONMENT, PROGRAM, runProgram } from './testing/run-program.test-support.ts'

const ROOT = fileURLToPath(new URL('../../..', import.meta.url))

/**
 * Makes a process believe that it is the first one of a container, and say when it listens for a
 * signal.
 */
const AS_PROCESS_1 = `
  Object.defineProperty(process, 'pid', { value: 1 })
  process.on('newListener', (name) => {
    if (name === 'SIGTERM') setImmediate(() => console.error('listening'))
  })`

it('SIGTERM ends a command that is the first process of a container', async () => {
  const program = ['--import', `data:text/javascript,${encodeURIComponent(AS_PROCESS_1)}`, PROGRAM]
  const command = ['import', '-', '--format', 'csv']
  const running = spawn(process.execPath, [...program, ...command], {
    cwd: await temporaryFolder(),
    env: ENVIRONMENT,
  })
  onTestFinished(() => void running.kill('SIGKILL'))
  const ended = once(running, 'exit')
  await once(running.stderr, 'data')
  running.kill('SIGTERM')
  // By itself, and not by the kernel, which would spare the first process.
  expect(await ended).toEqual([143, null])
})

it.each([
  ['Node', 'node', '20.20.2'],
  ['Bun', 'bun', '1.4.5'],
  ['Deno', 'deno', '2.9.6'],
])('the program says that it needs a newer Node, on %s', async (name, key, value) => {
  const define = `Object.defineProperty(process.versions, '${key}', { value: '${value}' })`
  const flags = ['--import', `data:text/javascript,${define}`]
  const program = runProgram('start', await temporaryFolder(), {}, [...flags, PROGRAM])

  expect(await program.ended).toBe(1)
  expect(program.output.stderr).toBe(
    `Pet store needs Node 22.18, 24.11, or 26 and newer; this is ${name} ${value}.\n`,
  )
})

it.each([
  ['--frozen-intrinsics', 'Pet store cannot run with --frozen-intrinsics.'],
  [
    '--disallow-code-generation-from-strings',
    'MikroORM cannot run with --disallow-code-generation-from-strings. Start Node without it.',
  ],
  [
    '--no-addons',
    'Cannot open the SQLite database "pets.db": ' +
      'Cannot load native addon because loading addons is disabled.',
  ],
])('one line says that the program does not run with %s', async (flag, line) => {
  const folder = await temporaryFolder()
  const settings = { DATABASE_URL: 'sqlite:pets.db' }
  const program = runProgram('serve', folder, settings, ['--no-warnings', flag, PROGRAM])
  expect(await program.ended).toBe(1)
  expect(program.output).toEqual({ stdout: '', stderr: `${line}\n` })
})

/** The flags of docs/how-to/deploy.md. */
const permissions = (folder: string) => [
  '--permission',
  '--allow-addons',
  `--allow-fs-read=${ROOT}`,
  `--allow-fs-read=${folder}`,
  `--allow-fs-write=${folder}`,
  ...(process.allowedNodeEnvironmentFlags.has('--allow-net') ? ['--allow-net'] : []),
]

it('the program serves under the permission model of Node', async () => {
  const folder = await temporaryFolder()
  await mkdir(join(folder, 'data'))
  const program = [...permissions(folder), PROGRAM]
  const create = runProgram('keys create --name kiosk', folder, {}, program)
  expect(await create.ended).toBe(0)
  const serve = runProgram('serve', folder, {}, program)
  onTestFinished(() => void serve.process.kill('SIGKILL'))
  const address = await waitForOutput(serve, /"address":"([^"]+)"/)
  const headers = {
    Authorization: `Bearer ${create.output.stdout.trim()}`,
    'Content-Type': 'application/json',
  }
  const body = '{"name":"Rex","categoryId":1}'
  expect((await fetch(`${address}/pets`, { method: 'POST', headers, body })).status).toBe(201)
  expect(await (await fetch(`${address}/pets`, { headers })).text()).toContain('"id":1,')
  for (const path of ['/', '/docs', '/openapi.json', '/readyz'])
    expect((await fetch(new URL(path, address))).status).toBe(200)
  expect(await serve.end()).toBe(0)
})

it.each([
  ['--allow-fs-read', '.env', ''],
  ['--allow-fs-write', './data', 'Cannot open the SQLite database "./data/pet-store.db": '],
])('the program names what the permission model denies without %s', async (flag, what, before) => {
  const folder = await temporaryFolder()
  const flags = permissions(folder).filter((one) => !one.startsWith(`${flag}=${folder}`))
  const program = runProgram('serve', folder, {}, ['--no-warnings', ...flags, PROGRAM])
  expect(await program.ended).toBe(1)
  const reason = `Access to this API has been restricted. Use ${flag} to manage permissions`
  expect(program.output.stderr).toBe(`${before}${reason} for "${what}".\n`)
})
