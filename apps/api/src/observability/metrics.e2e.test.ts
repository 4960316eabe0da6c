import { once } from 'node:events'
import { connect, createServer } from 'node:net'
import { setImmediate } from 'node:timers/promises'
import { createApiKeyText, hashApiKey } from '@pet-store/access'
import { type RunningProgram, temporaryFolder, waitForOutput } from '@pet-store/testing'
import { createDatabase, freePort } from '@pet-store/testing-postgres'
import type {} from '@pet-store/testing-postgres/vitest-global-setup'
import { afterEach, describe, expect, inject, it } from 'vitest'
import { runProgram } from '../testing/run-program.test-support.ts'

const KEY = createApiKeyText()
const headers = { Authorization: `Bearer ${KEY}` }
const running: RunningProgram[] = []

afterEach(async () => {
  for (const program of running.splice(0)) {
    program.process.kill('SIGKILL')
    await program.ended
  }
})

async function serve(settings: Record<string, string>) {
  const program = runProgram('serve', await temporaryFolder(), {
    API_KEYS_SHA256: `shop=${hashApiKey(KEY)}`,
    ...settings,
  })
  running.push(program)
  const address = await waitForOutput(program, /"address":"([^"]+)\/v1"/)
  return { program, address }
}

async function serveWithMetrics(settings: Record<string, string> = {}) {
  const { program, address } = await serve({ METRICS_PORT: '0', ...settings })
  const metrics = await waitForOutput(program, /"address":"([^"]+\/metrics)"/)
  const scrape = async () => (await fetch(metrics)).text()
  return { program, address, metrics, scrape }
}

/** Tries to connect until something ends, and counts how often that worked. */
async function connectUntil(port: number, ended: Promise<unknown>): Promise<number> {
  let isEnded = false
  let connected = 0
  void ended.then(() => {
    isEnded = true
  })
  while (!isEnded) {
    const socket = connect(port, '127.0.0.1')
    await once(socket, 'connect').then(
      () => {
        connected += 1
      },
      () => {},
    )
    socket.destroy()
    await setImmediate()
  }
  return connected
}

/** The value of one line of the text, by its name and labels. */
function numberIn(text: string, line: string): number | undefined {
  const found = text.split('\n').find((one) => one.startsWith(`${line} `))
  return found === undefined ? undefined : Number(found.slice(line.length + 1))
}

describe('With METRICS_PORT', () => {
  it('requests, key checks, deprecated uses, persistence operations and rate limits are counted', async () => {
    const { address, scrape } = await serveWithMetrics({ RATE_LIMIT: '5/1h' })
    const get = (path: string, sent: Record<string, string> = headers, method = 'GET') =>
      fetch(`${address}${path}`, { headers: sent, method })
    await get('/v1/pets')
    await get('/v1/pets/1')
    await get('/v1/pets/2', headers, 'HEAD')
    await get('/v1/pets/2', headers, 'DELETE')
    await get('/v1/made/up')
    await get('/v1/pets')
    await get('/made/up/too', {}, 'PROPFIND')
    await get('/v1/pets', {})
    await get('/v1/pets', { Authorization: `Bearer ${createApiKeyText()}` })
    await get('/readyz', {})

    await expect.poll(async () => numberIn(await scrape(), 'pet_store_http_requests_in_flight')).toBe(0)
    const text = await scrape()
    const requests = (method: string, route: string, status: number) =>
      numberIn(
        text,
        `pet_store_http_request_duration_seconds_count{method="${method}",route="${route}",status="${status}"}`,
      )
    expect(requests('GET', '/v1/pets', 200)).toBe(1)
    expect(requests('GET', '/v1/pets/{petId}', 404)).toBe(1)
    expect(requests('HEAD', '/v1/pets/{petId}', 404)).toBe(1)
    expect(requests('GET', '/v1/pets', 429)).toBe(1)
    expect(requests('GET', '/v1/pets', 401)).toBe(2)
    expect(requests('other', 'unknown', 404)).toBe(1)
    expect(requests('GET', '/readyz', 200)).toBe(1)
    expect(text).not.toContain('made')

    expect(numberIn(text, 'pet_store_key_checks_total{result="valid"}')).toBe(6)
    expect(numberIn(text, 'pet_store_key_checks_total{result="missing"}')).toBe(1)
    expect(numberIn(text, 'pet_store_key_checks_total{result="invalid"}')).toBe(1)
    expect(numberIn(text, 'pet_store_key_checks_total{result="error"}')).toBe(0)
    expect(numberIn(text, 'pet_store_deprecated_uses_total{key_id="shop"}')).toBe(2)
    expect(numberIn(text, 'pet_store_rate_limit_decisions_total{decision="allowed"}')).toBe(5)
    expect(numberIn(text, 'pet_store_rate_limit_decisions_total{decision="rejected"}')).toBe(1)
    expect(numberIn(text, 'pet_store_persistence_duration_seconds_count{operation="find"}')).toBe(2)
    expect(numberIn(text, 'pet_store_persistence_duration_seconds_count{operation="list"}')).toBe(1)
    expect(numberIn(text, 'pet_store_persistence_duration_seconds_bucket{le="+Inf",operation="list"}')).toBe(1)
    expect(numberIn(text, 'pet_store_persistence_duration_seconds_sum{operation="list"}')).toBeGreaterThan(0)
    expect(numberIn(text, 'process_resident_memory_bytes')).toBeGreaterThan(1_000_000)
    expect(text).not.toContain('pet_store_pool_connections{')
    expect(text).not.toContain(KEY)
  })

  it('the use of connections to PostgreSQL is shown', async () => {
    const database = await createDatabase(inject('postgresUrl'))
    const { program, address, scrape } = await serveWithMetrics({ DATABASE_URL: database.url, DATABASE_POOL_SIZE: '7' })
    expect((await fetch(`${address}/v1/pets`, { headers })).status).toBe(200)
    const text = await scrape()
    expect(numberIn(text, 'pet_store_pool_connections_limit{pool="primary"}')).toBe(7)
    expect(numberIn(text, 'pet_store_pool_connections{pool="primary",state="idle"}')).toBeGreaterThan(0)
    expect(numberIn(text, 'pet_store_pool_connections{pool="primary",state="busy"}')).toBe(0)
    expect(numberIn(text, 'pet_store_pool_waiting{pool="primary"}')).toBe(0)
    program.process.kill('SIGTERM')
    await program.ended
    await database.drop()
  })

  it('requests that run are counted while the program stops, and the listener closes with it', async () => {
    const { program, metrics, scrape } = await serveWithMetrics({ SHUTDOWN_DELAY: '3s' })
    program.process.kill('SIGTERM')
    await waitForOutput(program, /"msg":"stopping"/)
    expect(numberIn(await scrape(), 'pet_store_http_requests_in_flight')).toBe(0)
    expect(await program.ended).toBe(0)
    await expect(fetch(metrics)).rejects.toThrow()
  })

  it('a port that is taken stops the start with a line that names the setting', async () => {
    const other = createServer().listen(0, '127.0.0.1')
    await new Promise((resolve) => other.once('listening', resolve))
    const { port } = other.address() as { port: number }
    // Its own port is free, and must not be opened before.
    const ownPort = await freePort()
    const settings = { METRICS_PORT: String(port), PORT: String(ownPort) }
    const program = runProgram('serve', await temporaryFolder(), settings)
    const connections = connectUntil(ownPort, program.ended)
    expect(await program.ended).toBe(1)
    expect(await connections).toBe(0)
    expect(program.output.stderr).toBe(
      `Cannot listen on 127.0.0.1 port ${port}: something listens there already. Stop it, or set METRICS_PORT to another number.\n`,
    )
    other.close()
  })
})

describe('Without METRICS_PORT', () => {
  it('nothing of metrics is loaded, and the service itself has no such path', async () => {
    const { address } = await serve({
      // Makes loading the package fail.
      NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(
        `import { registerHooks } from 'node:module'
         registerHooks({ resolve(name, context, next) { if (name === 'prom-client') throw new Error(name); return next(name, context) } })`,
      )}`,
    })
    expect((await fetch(`${address}/metrics`)).status).toBe(404)
    expect((await fetch(`${address}/v1/pets`, { headers })).status).toBe(200)
  })
})
