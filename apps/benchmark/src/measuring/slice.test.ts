import { once } from 'node:events'
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { wireRequest } from '../requests/connection.ts'
import { takeSlice } from './slice.ts'

const request = wireRequest({ method: 'GET', path: '/v1/pets/1', status: 200, responseBody: '{"id":1}' })
const servers: Server[] = []

beforeEach((context) => {
  if (process.platform !== 'linux') context.skip('needs /proc, which only Linux has')
})

afterEach(() => {
  for (const server of servers.splice(0)) server.close().closeAllConnections()
})

async function listen(listener: RequestListener) {
  const server = createServer(listener).listen(0, '127.0.0.1')
  servers.push(server)
  await once(server, 'listening')
  return { server, port: (server.address() as AddressInfo).port, pid: process.pid, isAlone: false }
}

async function slice(...listeners: RequestListener[]) {
  const all = await Promise.all(listeners.map(listen))
  return takeSlice({ servers: all, connections: 12, requests: [request], durationMs: 10_000, maxRequests: 50 })
}

it('counts every response, even one that comes in pieces', async () => {
  const { requests, p50Ms } = await slice((_req, res) => {
    res.writeHead(200, { 'Content-Length': 8 })
    res.write('{"id"')
    setTimeout(() => res.end(':1}'), 1)
  })
  expect(requests).toBe(50)
  expect(p50Ms).toBeGreaterThan(0)
})

it.each([
  ['status', 503, '{"id":1}'],
  ['length', 200, '{"id":10}'],
])('rejects on the first response with another %s', async (_name, status, body) => {
  let received = 0
  const run = slice((_req, res) => {
    received += 1
    const [code, text] = received < 20 ? [200, '{"id":1}'] : [status, body]
    res.writeHead(code, { 'Content-Length': text.length }).end(text)
  })
  await expect(run).rejects.toThrow('Wrong response to GET /v1/pets/1')
})

it('rejects when the server closes the connection', async () => {
  await expect(slice((req) => req.socket.end())).rejects.toThrow('closed the connection')
})

it('shares its connections evenly among several servers', async () => {
  const respond: RequestListener = (_req, res) => void res.writeHead(200, { 'Content-Length': 8 }).end('{"id":1}')
  const all = await Promise.all([respond, respond, respond].map(listen))
  const connections = all.map(({ server }) => {
    let count = 0
    server.on('connection', () => {
      count += 1
    })
    return () => count
  })
  await takeSlice({ servers: all, connections: 12, requests: [request], durationMs: 10_000, maxRequests: 50 })
  expect(connections.map((count) => count())).toEqual([4, 4, 4])
})
