import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { temporaryFolder, waitForOutput } from '@pet-store/testing'
import { describe, expect, it, onTestFinished } from 'vitest'
import { runHere } from '../testing/run-command.test-support.ts'
import { runProgram, runStart } from '../testing/run-program.test-support.ts'

const EXAMPLE = fileURLToPath(
  new URL('../../../../examples/persistence-adapter/src/ndjson-persistence.ts', import.meta.url),
)

describe('PERSISTENCE_MODULE', () => {
  it('PERSISTENCE_MODULE may be an adapter that this repository does not know', async () => {
    const folder = await temporaryFolder()
    const settings = { PERSISTENCE_MODULE: EXAMPLE, DATABASE_URL: 'pets.ndjson' }
    const { program, address, key } = await runStart(folder, settings)
    onTestFinished(() => void program.process.kill('SIGKILL'))
    const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' }
    const body = '{"name":"Rex","categoryId":9007199254740993}'
    const added = await (await fetch(`${address}/pets`, { method: 'POST', headers, body })).text()
    const listed = await (await fetch(`${address}/pets`, { headers })).text()
    const ready = await fetch(new URL('/readyz', address))

    expect(added).toBe('{"id":1,"name":"Rex","categoryId":9007199254740993}')
    expect(listed).toBe(`[${added}]`)
    expect(ready.status).toBe(200)
    expect(await readFile(join(folder, 'pets.ndjson'), 'utf8')).toContain(
      '"categoryId":"9007199254740993"',
    )
    program.process.kill('SIGTERM')
    expect(await program.ended).toBe(0)
  })

  it('PERSISTENCE_MODULE may be an ES module only, and an object of a class', async () => {
    const folder = await temporaryFolder()
    const installed = join(folder, 'node_modules/@their/store')
    await mkdir(installed, { recursive: true })
    const manifest = { name: '@their/store', type: 'module', exports: { import: './index.js' } }
    await writeFile(join(installed, 'package.json'), JSON.stringify(manifest))
    await writeFile(
      join(installed, 'index.js'),
      `class TheirStorage {
         #pets = []
         pets = new Proxy({}, { get: () => async () => this.#pets })
         async check() { this.#pets.length }
         async isMigrated() { return this.#pets.length === 0 }
         async close() { console.log(\`closed with \${this.#pets.length} pets\`) }
       }
       export default async () => new TheirStorage()`,
    )
    const { program, address, key } = await runStart(folder, {
      PERSISTENCE_MODULE: '@their/store',
      METRICS_PORT: '0',
    })
    onTestFinished(() => void program.process.kill('SIGKILL'))

    expect((await fetch(new URL('/readyz', address))).status).toBe(200)
    expect(
      await (
        await fetch(`${address}/pets`, { headers: { Authorization: `Bearer ${key}` } })
      ).text(),
    ).toBe('[]')
    program.process.kill('SIGTERM')
    expect(await program.ended).toBe(0)
    expect(program.output.stdout).toContain('closed with 0 pets')
  })

  it('a program whose adapter cannot be closed ends with 1, and logs why', async () => {
    const folder = await temporaryFolder()
    const code = `export default async () => ({
      pets: new Proxy({}, { get: () => async () => [] }),
      check: async () => {},
      close: async () => { throw new Error('2 pets are still in memory') },
    })`
    await writeFile(join(folder, 'store.mjs'), code)
    const { program } = await runStart(folder, { PERSISTENCE_MODULE: './store.mjs' })
    program.process.kill('SIGTERM')
    expect(await program.ended).toBe(1)
    expect(program.output.stdout).toContain('2 pets are still in memory')
  })

  it('serve keeps serving when keys cannot be read, warns, and counts the failures', async () => {
    const folder = await temporaryFolder()
    await writeFile(
      join(folder, 'mine.mjs'),
      `const pets = new Proxy({}, { get: () => async () => [] })
       const fail = async () => { throw new Error('the keys are locked') }
       const names = 'add replace find findByHash list revoke markUsed'.split(' ')
       const apiKeys = Object.fromEntries(names.map((name) => [name, fail]))
       export default async ({ onBackgroundFailure }) => {
         onBackgroundFailure(new Error('old keys are locked'))
         return { pets, apiKeys, async check() {}, async close() {} }
       }`,
    )
    const program = runProgram('serve', folder, {
      PERSISTENCE_MODULE: './mine.mjs',
      METRICS_PORT: '0',
    })
    onTestFinished(() => void program.process.kill('SIGKILL'))
    const metrics = await waitForOutput(program, /"address":"([^"]+\/metrics)"/)
    const address = await waitForOutput(program, /"address":"([^"]+\/v1)"/)
    await waitForOutput(program, /"level":40,.*old keys are locked/)
    expect(await (await fetch(metrics)).text()).toContain('pet_store_background_failures_total 1\n')
    await waitForOutput(program, /"level":40,.*the keys are locked/)
    expect((await fetch(new URL('/readyz', address))).status).toBe(200)
    program.process.kill('SIGTERM')
    expect(await program.ended).toBe(0)
  })

  it('serve says where API keys come from when the adapter stores none', async () => {
    const settings = { PERSISTENCE_MODULE: './keyless.mjs' }
    const folder = await temporaryFolder()
    await writeFile(
      join(folder, 'keyless.mjs'),
      `const pets = new Proxy({}, { get: () => async () => [] })
       export default async () => ({ pets, async check() {}, async close() {} })`,
    )
    const program = runProgram('serve', folder, settings)
    onTestFinished(() => void program.process.kill('SIGKILL'))
    const command = await waitForOutput(
      program,
      /there is no API key yet; create one with: pet-store ([^",]*), or set API_KEYS_SHA256/,
    )
    program.process.kill('SIGTERM')
    await program.ended
    expect(await runHere(command, folder, settings)).toEqual({
      code: 1,
      stdout: '',
      stderr:
        'The adapter of PERSISTENCE_MODULE stores no API keys. Put their hashes into ' +
        'API_KEYS_SHA256 instead.\n',
    })
  })

  it.each([
    ['no-such-package', /cannot be loaded: Cannot find package 'no-such-package'/],
    ['./mine.mjs', /^the disk is full\n$/],
    ['./stuck.mjs', /^The command waits for something that cannot happen/],
  ])('a start says in one line what is wrong with %s', async (name, message) => {
    const folder = await temporaryFolder()
    await writeFile(
      join(folder, 'mine.mjs'),
      'export default async () => { throw new Error("the disk is full") }',
    )
    await writeFile(join(folder, 'stuck.mjs'), 'await new Promise(() => {})')
    const program = runProgram('start', folder, { PERSISTENCE_MODULE: name })

    expect(await program.ended).toBe(1)
    expect(program.output.stderr).toMatch(message)
    expect(program.output.stderr.trim().split('\n')).toHaveLength(1)
  })

  it('a start fails if replicas are set that the adapter does not declare', async () => {
    const settings = {
      PERSISTENCE_MODULE: EXAMPLE,
      DATABASE_URL: 'pets.ndjson',
      DATABASE_REPLICA_URLS: 'other',
    }
    const program = runProgram('start', await temporaryFolder(), settings)

    expect(await program.ended).toBe(1)
    expect(program.output.stderr).toMatch(
      /^DATABASE_REPLICA_URLS must be empty: the persistence module "[^"]*" declares no replicas/,
    )
  })
})
