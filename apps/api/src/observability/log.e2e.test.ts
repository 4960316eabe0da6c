import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, constants, openSync, readFileSync } from 'node:fs'
import { setTimeout } from 'node:timers/promises'
import { stripVTControlCharacters } from 'node:util'
import { createApiKeyText, hashApiKey } from '@pet-store/access'
import { type RunningProgram, temporaryFolder, waitForOutput } from '@pet-store/testing'
import { freePort } from '@pet-store/testing-postgres'
import { afterEach, describe, expect, it, onTestFinished } from 'vitest'
import { NO_TERMINAL, runOnTerminal } from '../testing/run-on-terminal.test-support.ts'
import { ENVIRONMENT, PROGRAM, runProgram } from '../testing/run-program.test-support.ts'

const KEY = createApiKeyText()
const headers = { Authorization: `Bearer ${KEY}` }
const running: RunningProgram[] = []

afterEach(async () => {
  for (const program of running.splice(0)) {
    program.process.kill('SIGKILL')
    await program.ended
  }
})

async function serve(program?: readonly string[]) {
  const started = runProgram(
    'serve',
    await temporaryFolder(),
    { API_KEYS_SHA256: hashApiKey(KEY) },
    program,
  )
  running.push(started)
  return { program: started, address: await waitForOutput(started, /"address":"([^"]+)"/) }
}

/** The program, after this code has run in its process. */
function after(code: string): readonly string[] {
  return ['--import', `data:text/javascript,${encodeURIComponent(code)}`, PROGRAM]
}

describe('A line of the log', () => {
  it('a log line is written although nothing follows it, and not lost by SIGTERM', async () => {
    const { program, address } = await serve()
    await fetch(`${address}/pets`, { headers: { ...headers, 'X-Request-Id': 'alone' } })
    const line = await waitForOutput(program, /(\{.*"requestId":"alone".*\})\n/)
    const fields = JSON.parse(line) as { durationMs: number }
    expect(fields).toMatchObject({
      level: 30,
      method: 'GET',
      route: '/v1/pets',
      status: 200,
      msg: 'request',
    })
    expect(String(fields.durationMs)).toMatch(/^\d+(?:\.\d{1,3})?$/)

    const ids = Array.from({ length: 500 }, (_, index) => `request-${index}`)
    for (const id of ids)
      await (await fetch(`${address}/pets`, { headers: { ...headers, 'X-Request-Id': id } })).text()
    program.process.kill('SIGTERM')

    expect(await program.ended).toBe(0)
    const logged = [...program.output.stdout.matchAll(/"requestId":"(request-[0-9]+)"/g)].map(
      ([, id]) => id,
    )
    expect(logged).toEqual(ids)
    expect(program.output.stdout).toMatch(/"msg":"stopped"}\n$/)
  })

  it('a log line is not lost by an uncaught error, whose stack is logged too', async () => {
    const error = "new Error('outer error', { cause: new TypeError('inner error') })"
    const { program, address } = await serve(
      after(`process.on('SIGWINCH', () => queueMicrotask(() => { throw ${error} }))`),
    )
    await fetch(`${address}/pets`, { headers: { ...headers, 'X-Request-Id': 'last' } })
    program.process.kill('SIGWINCH')

    expect(await program.ended).toBe(1)
    const { stdout } = program.output
    expect(stdout).toContain('"requestId":"last"')
    const fatal = stdout.split('\n').find((line) => line.includes('"level":60')) ?? ''
    expect(JSON.parse(fatal)).toMatchObject({
      err: {
        type: 'Error',
        stack: expect.stringMatching(
          /Error: outer error\n +at [\s\S]*caused by: TypeError: inner error\n +at /,
        ),
      },
    })
  })

  it('a log line reports an error that occurs while the program is stopping', async () => {
    const { program } = await serve(
      after("process.on('SIGTERM', () => queueMicrotask(() => { throw new Error('too late') }))"),
    )
    program.process.kill('SIGTERM')

    expect(await program.ended).toBe(1)
    expect(program.output.stdout).toMatch(/"level":60,.*"message":"too late"/)
  })
})

/** A running service whose standard output is this file descriptor. */
async function serveInto(stdout: number, settings: Record<string, string> = {}) {
  const port = await freePort()
  const child = spawn(process.execPath, [PROGRAM, 'serve'], {
    cwd: await temporaryFolder(),
    env: { ...ENVIRONMENT, PORT: String(port), API_KEYS_SHA256: hashApiKey(KEY), ...settings },
    stdio: ['ignore', stdout, 'inherit'],
  })
  const ended = once(child, 'exit')
  onTestFinished(() => void child.kill('SIGKILL'))
  const address = `http://127.0.0.1:${port}/v1`
  await expect
    .poll(() =>
      fetch(address).then(
        () => true,
        () => false,
      ),
    )
    .toBe(true)
  return { child, ended, address }
}

/** Many requests with long lines: more than a pipe holds. */
async function request(address: string, count: number): Promise<void> {
  const long = { ...headers, 'X-Request-Id': 'x'.repeat(128) }
  for (let done = 0; done < count; done += 1) {
    expect((await fetch(`${address}/pets`, { headers: long })).status).toBe(200)
  }
}

/** The file descriptors of a named pipe. */
async function openPipe(): Promise<{ reader: number; writer: number }> {
  const path = `${await temporaryFolder()}/pipe`
  execFileSync('mkfifo', [path])
  const reader = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
  return { reader, writer: openSync(path, constants.O_WRONLY) }
}

describe('The log on a terminal', () => {
  it('the log on a terminal shows a request in one readable line', async ({ skip }) => {
    const port = await freePort()
    const settings = { PORT: String(port), API_KEYS_SHA256: hashApiKey(KEY) }
    const terminal = runOnTerminal('serve', await temporaryFolder(), settings)
    if (terminal === undefined) return skip(NO_TERMINAL)
    onTestFinished(() => void terminal.kill('SIGKILL'))
    let output = ''
    terminal.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text
    })
    await expect.poll(() => output).toContain('serving')
    await fetch(`http://127.0.0.1:${port}/v1/pets`, { headers })
    await fetch(`http://127.0.0.1:${port}/nowhere`)
    const plain = () => stripVTControlCharacters(output)
    await expect.poll(plain).toMatch(/^\[[^\]]+\] INFO: GET \/v1\/pets 200 \d+ ms\r$/m)
    await expect.poll(plain).toMatch(/^\[[^\]]+\] INFO: GET \(unknown path\) 404 \d+ ms\r$/m)
    terminal.stdin.write('\x03')
    await once(terminal, 'exit')
    expect(plain()).toContain('stopped')
  })
})

describe('A service whose log cannot be written', () => {
  it('the service keeps serving and stops in order when its log is a closed pipe', async () => {
    const { reader, writer } = await openPipe()
    const { child, ended, address } = await serveInto(writer)
    closeSync(writer)
    closeSync(reader)
    for (let round = 0; round < 3; round += 1) {
      await request(address, 50)
      await setTimeout(600)
    }
    child.kill('SIGTERM')
    expect(await ended).toEqual([0, null])
  })

  it('the service keeps serving and stops in order when nobody reads its log', async () => {
    const { writer } = await openPipe()
    const { child, ended, address } = await serveInto(writer, { SHUTDOWN_TIMEOUT: '1m' })
    await request(address, 500)
    child.kill('SIGTERM')
    expect(await ended).toEqual([0, null])
  })

  it('the service ends at once on a second signal when nobody reads its log', async () => {
    const { writer } = await openPipe()
    const { child, ended, address } = await serveInto(writer, {
      SHUTDOWN_DELAY: '10m',
      SHUTDOWN_TIMEOUT: '11m',
    })
    await request(address, 500)
    child.kill('SIGTERM')
    await expect.poll(async () => (await fetch(address.replace('/v1', '/readyz'))).status).toBe(503)
    child.kill('SIGTERM')
    expect(await ended).toEqual([1, null])
  })

  it('the service keeps serving and stops in order when the disk of its log is full', async () => {
    const full = openSync('/dev/full', 'w')
    const { child, ended, address } = await serveInto(full, { METRICS_PORT: '0' })
    await request(address, 500)
    expect(readFileSync(`/proc/${child.pid}/status`, 'utf8')).toMatch(/^State:\s+[SR]/m)
    child.kill('SIGTERM')
    expect(await ended).toEqual([0, null])
  })
})
