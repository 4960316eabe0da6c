import { mkdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type RunningProgram, temporaryFolder } from '@pet-store/testing'
import { afterEach, describe, expect, it } from 'vitest'
import { curl } from '../testing/curl.test-support.ts'
import { runProgram, runStart } from '../testing/run-program.test-support.ts'

const README = new URL('../../../../README.md', import.meta.url)

describe('pet-store start', () => {
  const running: RunningProgram[] = []

  afterEach(async () => {
    for (const program of running.splice(0)) {
      program.process.kill('SIGKILL')
      await program.ended
    }
  })

  async function start(folder: string, settings: Record<string, string> = {}) {
    const started = await runStart(folder, settings)
    running.push(started.program)
    return started
  }

  it('prints an address, a key, and lines that work when pasted', async () => {
    const { program, key } = await start(await temporaryFolder())
    const lines = program.output.stdout.split('\n').filter((line) => line.trim().startsWith('curl '))

    const responses = []
    for (const line of lines) responses.push(await curl(line.trim()))

    expect(responses.map(({ status, body }) => [status, body])).toEqual([
      [200, '[]'],
      [201, '{"id":1,"name":"Rex","categoryId":1,"status":"available"}'],
      [200, '{"id":1,"name":"Rex","categoryId":1,"status":"available"}'],
    ])
    expect(lines.every((line) => line.includes(key))).toBe(true)
  })

  it('prints the address of the reference page, which contains the key', async () => {
    const { program, address, key } = await start(await temporaryFolder())
    const [, docs = ''] = /Reference +(\S+)/.exec(program.output.stdout) ?? []

    expect(docs).toBe(address.replace(/v1$/, 'docs'))
    expect(await (await fetch(docs)).text()).toContain(`data-development-key="${key}"`)
  })

  it('the curl lines of the README work as it says', async () => {
    const { address, key } = await start(await temporaryFolder())
    const lines = (await readFile(README, 'utf8')).split('\n').filter((line) => line.startsWith('curl '))
    const pasted = lines.map((line) => line.replaceAll('$KEY', key).replaceAll('http://127.0.0.1:3000/v1', address))

    const statuses = []
    for (const line of pasted) statuses.push((await curl(line)).status)

    expect(statuses).toEqual([200, 201, 200, 200])
  })

  it('creates the key on the first start, readable by its owner only, and prints it again later', async () => {
    const folder = await temporaryFolder()
    const first = await start(folder)
    const file = join(folder, 'data/development-api-key')

    expect(await readFile(file, 'utf8')).toBe(`${first.key}\n`)
    expect((await stat(file)).mode & 0o777).toBe(0o600)
    expect((await start(folder)).key).toBe(first.key)
    expect((await start(await temporaryFolder())).key).not.toBe(first.key)
  })

  it('returns what was added after a restart, digit for digit', async () => {
    const folder = await temporaryFolder()
    const edges = ['9223372036854775807', '9007199254740993', '-9223372036854775808']
    const first = await start(folder)
    const authorization = { Authorization: `Bearer ${first.key}` }
    for (const categoryId of edges) {
      const response = await fetch(`${first.address}/pets`, {
        method: 'POST',
        headers: { ...authorization, 'Content-Type': 'application/json' },
        body: `{"name":"Edge","categoryId":${categoryId}}`,
      })
      expect(await response.text()).toContain(`"categoryId":${categoryId}}`)
    }
    first.program.process.kill('SIGTERM')
    await first.program.ended

    const second = await start(folder)
    const list = await (await fetch(`${second.address}/pets`, { headers: authorization })).text()
    const one = await (await fetch(`${second.address}/pets/3`, { headers: authorization })).text()

    expect(list).toBe(
      `[${edges.map((categoryId, index) => `{"id":${index + 1},"name":"Edge","categoryId":${categoryId}}`).join(',')}]`,
    )
    expect(one).toBe('{"id":3,"name":"Edge","categoryId":-9223372036854775808}')
  })

  it('rejects a HOST that others can reach, and names serve', async () => {
    const program = runProgram('start', await temporaryFolder(), { HOST: '0.0.0.0' })

    expect(await program.ended).toBe(2)
    expect(program.output.stderr).toMatch(/^HOST must be .* pnpm pet-store serve\n$/)
  })

  it('says in one sentence that a port is taken', async () => {
    const { address } = await start(await temporaryFolder())
    const program = runProgram('start', await temporaryFolder(), { PORT: new URL(address).port })

    expect(await program.ended).toBe(1)
    expect(program.output.stderr).toMatch(
      /^Cannot listen on 127\.0\.0\.1 port [0-9]+: something listens there already\./,
    )
  })

  it('says in one sentence that a file has the name of its folder', async () => {
    const folder = await temporaryFolder()
    await writeFile(join(folder, 'data'), 'mine\n')
    const program = runProgram('start', folder)

    expect(await program.ended).toBe(1)
    expect(program.output.stderr).toBe('"data" is a file; a folder of that name is needed.\n')
  })

  it('says in one sentence that it cannot read its key', async () => {
    const folder = await temporaryFolder()
    await mkdir(`${folder}/data/development-api-key`, { recursive: true })
    const program = runProgram('start', folder)
    expect(await program.ended).toBe(1)
    expect(program.output.stderr).toBe(
      'Cannot read or create "data/development-api-key": illegal operation on a directory.\n',
    )
  })

  it('does not overwrite a key file that holds something else', async () => {
    const folder = await temporaryFolder()
    const first = await start(folder)
    await writeFile(join(folder, 'data/development-api-key'), 'mine\n')
    first.program.process.kill('SIGTERM')
    await first.program.ended
    const program = runProgram('start', folder)

    expect(await program.ended).toBe(1)
    expect(program.output.stderr).toContain('does not contain an API key')
    expect(await readFile(join(folder, 'data/development-api-key'), 'utf8')).toBe('mine\n')
  })
})
