import { once } from 'node:events'
import { connect, createServer } from 'node:net'
import { setImmediate } from 'node:timers/promises'
import { createApiKeyText, hashApiKey } from '@pet-store/access'
import { temporaryFolder, waitForOutput } from '@pet-store/testing'
import { createDatabase, freePort } from '@pet-store/testing-postgres'
import type {} from '@pet-store/testing-postgres/vitest-global-setup'
import { describe, expect, inject, it, onTestFinished } from 'vitest'
import { runProgram } from '../../testing/run-program.test-support.ts'
import { serveHere } from '../../testing/serve-here.test-support.ts'

const KEY = createApiKeyText()
const headers = { Authorization: `Bearer ${KEY}` }
const KEYS = { API_KEYS_SHA256: `shop=${hashApiKey(KEY)}` }

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
  it('requests, key checks, deprecated uses and operations are counted until the end', async () => {
    const { address, scrape, program, stop } = await serveHere({
      ...KEYS,
      METRICS_PORT: '0',
      RATE_LIMIT: '5/1h',
    })
    const get = (path: string, sent: Record<string, string> = headers, method = 'GET') =>
      fetch(`${address}${path}`, { headers: sent, method })
    await get('/v1/pets')
    await get('/v1/pets/1')
    await get('/v1/pets/2', headers, 'HEAD')
    await get('/v1/pets/2', headers, 'PUT')
    await get('/v1/made/up')
    await get('/v1/pets')
    await get('/made/up/too', {}, 'PROPFIND')
    await get('/v1/pets', {})
    await get('/v1/pets', { Authorization: `Bearer ${createApiKeyText()}` })
    await get('/readyz', {})

    await expect
      .poll(async () => numberIn(await scrape(), 'pet_store_http_requests_in_flight'))
      .toBe(0)
    const text = await scrape()
    const requests = (method: string, route: string, status: number) =>
      numberIn(
        text,
        'pet_store_http_request_duration_seconds_count' +
          `{method="${method}",route="${route}",status="${status}"}`,
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
    expect(numberIn(text, 'pet_store_deprecated_uses_total{key_id="shop"}')).toBe(2)
    expect(numberIn(text, 'pet_store_persistence_duration_seconds_count{operation="find"}')).toBe(2)
    expect(numberIn(text, 'process_resident_memory_bytes')).toBeGreaterThan(1_000_000)
    expect(text).toContain('pet_store_pool_connections_limit{pool="sqlite"} 1\n')
    expect(text).toContain('pet_store_queue_limit{queue="requests"} 4000\n')
    expect(text).not.toContain(KEY)

    program.stop()
    expect((await fetch(`${address}/readyz`)).status).toBe(503)
    expect(numberIn(await scrape(), 'pet_store_http_requests_in_flight')).toBe(0)
    await stop()
    await expect(scrape()).rejects.toThrow()
  })

  it('the use of connections to PostgreSQL is shown', async () => {
    const database = await createDatabase(inject('postgresUrl'))
    const settings = {
      ...KEYS,
      METRICS_PORT: '0',
      DATABASE_URL: database.url,
      DATABASE_POOL_SIZE: '7',
    }
    const { address, scrape, stop } = await serveHere(settings)
    expect((await fetch(`${address}/v1/pets`, { headers })).status).toBe(200)
    const text = await scrape()
    expect(numberIn(text, 'pet_store_pool_connections_limit{pool="primary"}')).toBe(7)
    expect(
      numberIn(text, 'pet_store_pool_connections{pool="primary",state="idle"}'),
    ).toBeGreaterThan(0)
    expect(numberIn(text, 'pet_store_pool_connections{pool="primary",state="busy"}')).toBe(0)
    expect(numberIn(text, 'pet_store_queue_waiting{queue="primary"}')).toBe(0)
    await stop()
    await database.drop()
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
      `Cannot listen on 127.0.0.1 port ${port}: something listens there already. Stop it, or ` +
        'set METRICS_PORT to another number.\n',
    )
    other.close()
  })
})

describe('Without METRICS_PORT', () => {
  it('nothing of metrics is loaded, and the service itself has no such path', async () => {
    const program = runProgram('serve', await temporaryFolder(), {
      ...KEYS,
      // Makes loading the package fail.
      NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(
        `import { registerHooks } from 'node:module'
         registerHooks({ resolve(name, context, next) {
           if (name === 'prom-client') throw new Error(name)
           return next(name, context)
         } })`,
      )}`,
    })
    onTestFinished(() => void program.process.kill('SIGKILL'))
    const address = await waitForOutput(program, /"address":"([^"]+)\/v1"/)
    expect((await fetch(`${address}/metrics`)).status).toBe(404)
    expect((await fetch(`${address}/v1/pets`, { headers })).status).toBe(200)
  })
})
