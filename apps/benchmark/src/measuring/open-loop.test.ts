import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { wireRequest } from '../requests/connection.ts'
import { sendAtPlannedTimes } from './open-loop.ts'

const request = wireRequest({ method: 'GET', path: '/v1/pets/1', status: 200, responseBody: '{"id":1}' })

async function load(respond: (number: number) => { delayMs?: number; text?: string }) {
  let received = 0
  const server = createServer((_req, res) => {
    received += 1
    const { delayMs = 0, text = '{"id":1}' } = respond(received)
    setTimeout(() => res.writeHead(200, { 'Content-Length': text.length }).end(text), delayMs)
  }).listen(0, '127.0.0.1')
  onTestFinished(() => void server.close().closeAllConnections())
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return sendAtPlannedTimes({ port, connections: 2, requests: [request], requestsPerSecond: 500, durationMs: 200 })
}

it('counts requests that were planned while the server stood still as slow', async () => {
  // The first two requests open the connections; the next two take both of them for 100 ms.
  const { latenciesMs, latenessMs } = await load((number) => ({ delayMs: number === 3 || number === 4 ? 100 : 0 }))
  // A client that waits for responses would count two. 500 requests/s plan about 25 in the first half of the 100 ms.
  expect(latenciesMs.filter((ms) => ms > 40).length).toBeGreaterThan(10)
  expect(latenessMs.length).toBeLessThan(latenciesMs.length)
})

it('rejects on the first wrong response', async () => {
  const run = load((number) => (number < 10 ? {} : { text: '{"id":10}' }))
  await expect(run).rejects.toThrow('Wrong response to GET /v1/pets/1')
})
