import { once } from 'node:events'
import { Agent, get, request } from 'node:http'
import { type RunningProgram, temporaryFolder } from '@pet-store/testing'
import { afterEach, describe, expect, it } from 'vitest'
import { runStart } from '../testing/run-program.test-support.ts'

const running: RunningProgram[] = []
afterEach(async () => {
  for (const program of running.splice(0)) {
    program.process.kill('SIGKILL')
    await program.ended
  }
})

async function start(settings: Record<string, string> = {}) {
  const started = await runStart(await temporaryFolder(), { LOG_LEVEL: 'error', ...settings })
  running.push(started.program)
  return { ...started, headers: { Authorization: `Bearer ${started.key}` } }
}

/** A request that the service has begun to handle: it waits for the body. */
async function post(address: string, headers: Record<string, string>, bytes: number) {
  const started = request(`${address}/pets`, {
    method: 'POST',
    agent: new Agent({ keepAlive: true }),
    headers: {
      ...headers,
      'Content-Type': 'application/json',
      'Content-Length': bytes,
      Expect: '100-continue',
    },
  })
  started.flushHeaders()
  await once(started, 'continue')
  return started
}

const readiness = async (address: string) => (await fetch(address.replace('/v1', '/readyz'))).status

it('SIGUSR1 opens no debugger, and the program keeps serving', async () => {
  const { program, address } = await start()
  program.process.kill('SIGUSR1')
  expect(await readiness(address)).toBe(200)
  program.process.kill('SIGTERM')
  expect(await program.ended).toBe(0)
  expect(program.output.stderr).not.toContain('Debugger')
})

// That each pet has its response, and nothing that was sent ahead is handled: apps/faults, crash.
describe('SIGTERM', () => {
  it('SIGTERM makes the program unready at once; it serves for SHUTDOWN_DELAY', async () => {
    const { program, address, headers } = await start({
      SHUTDOWN_DELAY: '10m',
      SHUTDOWN_TIMEOUT: '11m',
    })
    expect(await readiness(address)).toBe(200)
    program.process.kill('SIGTERM')
    await expect.poll(() => readiness(address)).toBe(503)
    expect(await (await fetch(address.replace('/v1', '/readyz'))).text()).toContain(
      'process is stopping',
    )

    expect((await fetch(`${address}/pets`, { headers })).status).toBe(200)
  })

  it('SIGTERM interrupts no request of clients that keep sending', async () => {
    const { program, address, headers } = await start({ SHUTDOWN_DELAY: '1s' })
    const agent = new Agent({ keepAlive: true })
    const outcomes = { completed: 0, broken: [] as string[] }
    const ask = () =>
      new Promise<boolean>((resolve) => {
        get(`${address}/pets`, { agent, headers }, (response) => {
          response.resume().on('end', () => {
            outcomes.completed += 1
            resolve(true)
          })
        }).on('error', (error: NodeJS.ErrnoException) => {
          // The program no longer listens: the request was not sent.
          if (error.code !== 'ECONNREFUSED') outcomes.broken.push(String(error))
          resolve(false)
        })
      })
    // Few enough that each sends its next request within the second for which idle connections stay
    // open, even on a machine with a load of sixty.
    const clients = Array.from({ length: 5 }, async () => {
      while (await ask());
    })
    await expect.poll(() => outcomes.completed).toBeGreaterThan(50)
    program.process.kill('SIGTERM')
    await Promise.all(clients)

    expect(outcomes.broken).toEqual([])
    expect(await program.ended).toBe(0)
  })

  it('SIGTERM ends a program whose client never finishes, after SHUTDOWN_TIMEOUT', async () => {
    const { program, address, headers } = await start({ SHUTDOWN_TIMEOUT: '1s' })
    const slow = await post(address, headers, 100)
    slow.on('error', () => {})
    slow.write('{')
    program.process.kill('SIGTERM')
    expect(await program.ended).toBe(1)
    expect(program.output.stdout).toContain('"msg":"ending, because stopping took too long"')
  })
})

it.each(['SIGSEGV', 'SIGBUS', 'SIGILL', 'SIGFPE', 'SIGTRAP', 'SIGABRT'] as const)(
  '%s, a native fault, ends the program at once',
  async (signal) => {
    const { program } = await start({ SHUTDOWN_DELAY: '10m', SHUTDOWN_TIMEOUT: '11m' })
    program.process.kill(signal)
    await program.ended
    expect(program.process.signalCode).toBe(signal)
  },
)
