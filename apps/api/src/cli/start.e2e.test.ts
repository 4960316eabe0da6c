import { mkdir, readFile, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { hashApiKey } from '@pet-store/access'
import { type RunningProgram, temporaryFolder, waitForOutput } from '@pet-store/testing'
import { afterEach, describe, expect, it } from 'vitest'
import { curl } from '../testing/curl.test-support.ts'
import { runHere } from '../testing/run-command.test-support.ts'
import { NO_TERMINAL, runOnTerminal } from '../testing/run-on-terminal.test-support.ts'
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

  it('start prints an address, a key, and lines that work when pasted', async () => {
    const folder = await temporaryFolder()
    const { program, address, key } = await start(folder)
    const lines = program.output.stdout
      .split('\n')
      .filter((line) => line.trim().startsWith('curl '))

    const responses = []
    for (const line of lines) responses.push(await curl(line.trim()))

    expect(responses.map(({ status, body }) => [status, body])).toEqual([
      [200, '[]'],
      [201, '{"id":1,"name":"Rex","categoryId":1,"status":"available"}'],
      [200, '{"id":1,"name":"Rex","categoryId":1,"status":"available"}'],
    ])
    expect(lines.every((line) => line.includes(key) && line.includes("-w '\\n'"))).toBe(true)
    const [, docs = ''] = /Reference +(\S+)/.exec(program.output.stdout) ?? []
    expect(docs).toBe(address.replace(/v1$/, 'docs'))
    const page = await (await fetch(docs)).text()
    expect(page).toContain(`data-development-key="${key}"`)
    const loaded = [...page.matchAll(/(?:href|src)="(docs\/[^"]+)"/g)].map(
      ([, reference = '']) => reference,
    )
    expect(loaded).toContainEqual(expect.stringMatching(/reference\.css$/))
    for (const reference of loaded) expect((await fetch(new URL(reference, docs))).status).toBe(200)

    const pasted = (await readFile(README, 'utf8'))
      .split('\n')
      .filter((line) => line.startsWith('curl '))
    const statuses = []
    for (const line of pasted) {
      const here = line.replaceAll('$KEY', key).replaceAll('http://127.0.0.1:3000/v1', address)
      statuses.push((await curl(here)).status)
    }
    expect(statuses).toEqual([200, 201, 200, 200])

    // A second start on the same folder prints the same key, which only its owner can read; another
    // one needs another port.
    const file = join(folder, 'data/development-api-key')
    expect(await readFile(file, 'utf8')).toBe(`${key}\n`)
    expect((await stat(file)).mode & 0o777).toBe(0o600)
    expect((await start(folder)).key).toBe(key)
    const taken = await runHere('start', await temporaryFolder(), { PORT: new URL(address).port })
    expect(taken.code).toBe(1)
    expect(taken.stderr).toMatch(
      /^Cannot listen on 127\.0\.0\.1 port [0-9]+: something listens there already\./,
    )
    program.process.kill('SIGTERM')
    expect(await program.ended).toBe(0)
  })

  it('start accepts keys of API_KEYS_SHA256 too, and prints one line with --brief', async () => {
    const key = 'a key of another platform'
    const settings = { API_KEYS_SHA256: hashApiKey(key) }
    const program = runProgram('start --brief', await temporaryFolder(), settings)
    running.push(program)
    const address = await waitForOutput(program, /^(\S+) with the API key of data\/\S+$/m)
    const headers = { Authorization: `Bearer ${key}` }
    expect((await fetch(`${address}/pets`, { headers })).status).toBe(200)
    expect(program.output.stdout).toMatch(/^[^\n]+\n$/)
  })

  it('start draws no box on a terminal that is too narrow for one', async ({ skip }) => {
    const settings = { PORT: '0' }
    const terminal = runOnTerminal('start', await temporaryFolder(), settings, 40)
    if (terminal === undefined) return skip(NO_TERMINAL)
    let text = ''
    for await (const piece of terminal.stdout.setEncoding('utf8')) {
      text += piece
      if (text.includes('/v1/pets/1')) break
    }
    terminal.kill('SIGKILL')
    expect(text).toContain('Address    http://')
    expect(text).not.toContain('─')
  })

  it('start rejects a HOST that others can reach, and names serve', async () => {
    const { code, stderr } = await runHere('start', await temporaryFolder(), { HOST: '0.0.0.0' })
    expect(code).toBe(2)
    expect(stderr).toMatch(/^HOST must be .* pnpm pet-store serve\n$/)
  })

  it.each([
    [
      'data is a file',
      { data: 'mine\n' },
      'Cannot create the folder "data": file already exists.\n',
    ],
    [
      'its key is a folder',
      { 'data/development-api-key/file': '' },
      'Cannot read or create "data/development-api-key": it is a folder.\n',
    ],
    [
      'its key is something else, which it keeps',
      { 'data/development-api-key': 'mine\n' },
      'data/development-api-key does not contain an API key. Delete it, and the next start ' +
        'creates a new one.\n',
    ],
  ])('start says in one line that %s', async (_, files, sentence) => {
    const folder = await temporaryFolder()
    for (const [name, text] of Object.entries(files)) {
      await mkdir(dirname(join(folder, name)), { recursive: true })
      await writeFile(join(folder, name), text)
    }
    expect(await runHere('start', folder)).toEqual({ code: 1, stdout: '', stderr: sentence })
    for (const [name, text] of Object.entries(files))
      expect(await readFile(join(folder, name), 'utf8')).toBe(text)
  })
})
