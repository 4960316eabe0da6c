import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { beforeEach, expect, it, onTestFinished } from 'vitest'
import { readyRequest } from '../requests/request.ts'
import { takeSlice } from './slice.ts'

const request = readyRequest({ method: 'GET', path: '/v1/pets/1', status: 200, responseBody: '{"id":1}' })

beforeEach((context) => {
  if (process.platform !== 'linux') context.skip('needs /proc, which only Linux has')
})

async function slice(count: number, listener: RequestListener) {
  const connections: number[] = []
  const servers = await Promise.all(
    Array.from({ length: count }, async (_, index) => {
      const server = createServer(listener).listen(0, '127.0.0.1')
      server.on('connection', () => connections.push(index))
      onTestFinished(() => void server.close().closeAllConnections())
      await once(server, 'listening')
      return { port: (server.address() as AddressInfo).port, pid: process.pid }
    }),
  )
  const load = { servers, connections: 12, requests: [request], durationMs: 10_000, maxRequests: 50 }
  return { ...(await takeSlice(load)), connections: connections.sort() }
}

it('counts every response, even one that comes in pieces, on connections shared evenly by the servers', async () => {
  const taken = await slice(3, (_req, res) => {
    res.writeHead(200, { 'Content-Length': 8 })
    res.write('{"id"')
    setTimeout(() => res.end(':1}'), 1)
  })
  expect(taken).toMatchObject({ requests: 50, connections: [0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2] })
  expect(taken.p50Ms).toBeGreaterThan(0)
})

it.each([
  ['status', 503, '{"id":1}'],
  ['length', 200, '{"id":10}'],
])('rejects on the first response with another %s', async (_name, status, body) => {
  let received = 0
  const run = slice(1, (_req, res) => {
    received += 1
    const [code, text] = received < 20 ? [200, '{"id":1}'] : [status, body]
    res.writeHead(code, { 'Content-Length': text.length }).end(text)
  })
  await expect(run).rejects.toThrow('Wrong response to GET /v1/pets/1')
})

it('rejects when the server closes the connection', async () => {
  await expect(slice(1, (req) => req.socket.end())).rejects.toThrow('closed the connection')
})
