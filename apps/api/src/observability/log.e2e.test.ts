import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createApiKeyText, hashApiKey } from '@pet-store/access'
import { afterEach, describe, expect, it } from 'vitest'
import {
  MAIN_FROM_SOURCE,
  type RunningProgram,
  runProgram,
  temporaryFolder,
  waitForOutput,
} from '../testing/run-program.test-support.ts'

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
  const started = runProgram('serve', await temporaryFolder(), { API_KEYS_SHA256: hashApiKey(KEY) }, program)
  running.push(started)
  return { program: started, address: await waitForOutput(started, /"address":"([^"]+)"/) }
}

/** A program whose source is changed by what runs before it. */
function after(code: string): readonly string[] {
  return ['--import', `data:text/javascript,${encodeURIComponent(code)}`, ...MAIN_FROM_SOURCE]
}

describe('A line of the log', () => {
  it('arrives within about a second, also when nothing follows', async () => {
    const { program, address } = await serve()
    await fetch(`${address}/pets`, { headers: { ...headers, 'X-Request-Id': 'alone' } })
    await waitForOutput(program, /"requestId":"alone"/, 1_500)
  })

  it('is not lost when SIGTERM comes right after it, and neither are those before', async () => {
    const { program, address } = await serve()
    const ids = Array.from({ length: 500 }, (_, index) => `request-${index}`)
    for (const id of ids) await (await fetch(`${address}/pets`, { headers: { ...headers, 'X-Request-Id': id } })).text()
    program.process.kill('SIGTERM')

    expect(await program.ended).toBe(0)
    const logged = [...program.output.stdout.matchAll(/"requestId":"(request-[0-9]+)"/g)].map(([, id]) => id)
    expect(logged).toEqual(ids)
    expect(program.output.stdout).toMatch(/"msg":"stopped"}\n$/)
  })

  it('is not lost when a fault that nobody catches ends the program, whose cause and stack are logged', async () => {
    const fault = "new Error('outer fault', { cause: new TypeError('inner fault') })"
    const { program, address } = await serve(
      after(`process.on('SIGWINCH', () => queueMicrotask(() => { throw ${fault} }))`),
    )
    await fetch(`${address}/pets`, { headers: { ...headers, 'X-Request-Id': 'last' } })
    program.process.kill('SIGWINCH')

    expect(await program.ended).toBe(1)
    const { stdout } = program.output
    expect(stdout).toContain('"requestId":"last"')
    const fatal = stdout.split('\n').find((line) => line.includes('stopping after a fault')) ?? ''
    expect(JSON.parse(fatal)).toMatchObject({
      level: 60,
      err: {
        type: 'Error',
        stack: expect.stringMatching(/Error: outer fault\n +at [\s\S]*caused by: TypeError: inner fault\n +at /),
      },
    })
  })

  it('tells of a fault that comes while the program is stopping', async () => {
    const { program } = await serve(
      after("process.on('SIGTERM', () => queueMicrotask(() => { throw new Error('too late') }))"),
    )
    program.process.kill('SIGTERM')

    expect(await program.ended).toBe(1)
    expect(program.output.stdout).toMatch(/"level":60,.*"message":"too late".*"msg":"ending at once after a fault"/)
  })
})

describe('A log that nobody reads any more', () => {
  it('does not end the program', async () => {
    const child = spawn(process.execPath, [...MAIN_FROM_SOURCE, 'serve'], {
      cwd: await temporaryFolder(),
      env: { PATH: process.env['PATH'], PORT: '0', API_KEYS_SHA256: hashApiKey(KEY) },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const ended = once(child, 'close')
    const [first] = await once(child.stdout, 'data')
    const address = /"address":"([^"]+)"/.exec(String(first))?.[1]
    child.stdout.destroy()

    for (let round = 0; round < 3; round += 1) {
      for (let count = 0; count < 50; count += 1) {
        expect((await fetch(`${address}/pets`, { headers })).status).toBe(200)
      }
      await new Promise((resolve) => setTimeout(resolve, 600))
    }
    child.kill('SIGTERM')
    expect(await ended).toEqual([0, null])
  })
})
