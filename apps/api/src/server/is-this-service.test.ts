import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { isThisService } from './is-this-service.ts'

/** A port on which an app listens, on every address of this machine. */
async function portOf(app: RequestListener): Promise<number> {
  const server = createServer(app).listen(0, '0.0.0.0')
  await once(server, 'listening')
  onTestFinished(() => void server.close().closeAllConnections())
  return (server.address() as AddressInfo).port
}

it('a pet store is recognised by /livez, even if it listens on every address', async () => {
  const port = await portOf((req, res) =>
    res.writeHead(req.url === '/livez' ? 200 : 404).end('{"status":"ok"}'),
  )
  expect(await isThisService('0.0.0.0', port)).toBe(true)
  expect(await isThisService('127.0.0.1', port)).toBe(true)
})

it('the metrics of a pet store are recognised by its build', async () => {
  const metrics = '# HELP\npet_store_build_info{version="0.1.0"} 1\n'
  const port = await portOf((req, res) =>
    res.writeHead(req.url === '/metrics' ? 200 : 404).end(metrics),
  )
  expect(await isThisService('127.0.0.1', port)).toBe(true)
})

it.each([
  ['another program', 200, '<h1>Hello</h1>'],
  ['another healthy service', 200, '{"status":"ok","name":"other"}'],
  ['an error with the same text', 503, '{"status":"ok"}'],
])('%s is not recognised as a pet store', async (_what, status, body) => {
  const port = await portOf((_req, res) => res.writeHead(status).end(body))
  expect(await isThisService('127.0.0.1', port)).toBe(false)
})

it('a port on which nothing listens is not recognised as a pet store', async () => {
  expect(await isThisService('127.0.0.1', 1)).toBe(false)
})
