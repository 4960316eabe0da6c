import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import { beforeEach, describe, expect, it } from 'vitest'
import { compare } from './comparison.ts'
import { comparisonReport } from './comparison-report.ts'
import { CONTESTANTS, type Contestant } from './contestant.ts'
import { wireRequest } from './conversation.ts'
import { load } from './load.ts'
import { OPERATIONS } from './operations.ts'
import { FULL, type Plan } from './plan.ts'

const LIAR = fileURLToPath(new URL('lying-server.test-support.ts', import.meta.url))

/** Enough requests to see that everything works; too few to measure anything. */
const TINY: Plan = {
  ...FULL,
  size: 1_000,
  connections: 4,
  warmUpRequests: 20,
  rounds: 2,
  leadInMs: 1,
  sliceMs: 20,
  coldStarts: 1,
}
const conditions = {
  plan: TINY,
  pinning: { description: 'not pinned', onServerCore: (command: readonly string[]) => command },
  say: () => {},
}
const onSqlite = CONTESTANTS.filter(({ database }) => database === 'sqlite')
const bare = onSqlite.filter(({ isBaseline }) => isBaseline)
const service = onSqlite.filter(({ role }) => role === 'service')

function liar(lie: string): Contestant {
  const program = [LIAR, lie, String(TINY.size)]
  return { id: lie, name: 'liar', database: 'sqlite', role: 'ceiling', program, paging: 'after' }
}

describe('a tiny run', () => {
  beforeEach((context) => {
    if (!existsSync('/proc/self/stat')) context.skip('needs /proc, which only Linux has')
  })

  it('measures the service and the bare server at everything, and reports both', async () => {
    const contestants = [...bare, ...service]
    const comparison = await compare({ database: 'sqlite', operations: OPERATIONS, contestants }, conditions)

    expect(comparison.measurements).toHaveLength(contestants.length * OPERATIONS.length)
    for (const { rounds } of comparison.measurements) {
      expect(rounds).toHaveLength(TINY.rounds)
      for (const { requestsPerSecond, p50Ms, p99Ms } of rounds) {
        expect(requestsPerSecond).toBeGreaterThan(0)
        expect(p99Ms).toBeGreaterThanOrEqual(p50Ms)
      }
    }
    for (const { peakMiB, starts } of comparison.footprints) {
      expect(starts).toHaveLength(TINY.coldStarts)
      // In MiB: a Node of 10 would be a wrong unit, and so would one of 10,000.
      for (const memory of [peakMiB, starts[0]?.restMiB])
        expect(memory).toSatisfy((mib: number) => mib > 10 && mib < 10_000)
    }
    const report = comparisonReport([comparison], [], [])
    expect(report['report.md']).toContain('**Pet Store**')
    expect(report['sqlite.svg']).toContain('>Pet Store</text>')
  }, 60_000)

  it('is stopped by a body that differs in one name', async () => {
    const run = compare({ database: 'sqlite', operations: OPERATIONS, contestants: [liar('wrong-name')] }, conditions)
    await expect(run).rejects.toThrow(/liar \(sqlite\) gives a wrong answer to GET \/v1\/pets\/\d+\nexpected: 200/)
  }, 60_000)

  it('is stopped by a contestant that says it added what it did not store', async () => {
    const create = OPERATIONS.filter(({ id }) => id === 'create')
    const run = compare({ database: 'sqlite', operations: create, contestants: [liar('forgets')] }, conditions)
    await expect(run).rejects.toThrow(/liar answered \d+ times that it added a pet, and stored 0\./)
  }, 60_000)
})

describe('the load', () => {
  const request = wireRequest({ method: 'GET', path: '/v1/pets/1', status: 200, answer: '{"id":1}' })

  async function loadOn(listener: RequestListener) {
    const server = createServer(listener).listen(0, '127.0.0.1')
    await new Promise((resolve) => server.once('listening', resolve))
    const { port } = server.address() as AddressInfo
    try {
      return await load({
        ports: [port],
        connections: 2,
        requests: [request],
        milliseconds: 10_000,
        maxRequests: 50,
        probe: () => 0,
      })
    } finally {
      server.closeAllConnections()
      server.close()
    }
  }

  it('counts every answer, also one that comes in pieces', async () => {
    const { requests, latencies } = await loadOn((_req, res) => {
      res.writeHead(200, { 'Content-Length': 8 })
      res.write('{"id"')
      setTimeout(() => res.end(':1}'), 1)
    })
    expect(requests).toBe(50)
    expect(latencies).toHaveLength(50)
  })

  it.each([
    ['another status', 503, '{"id":1}'],
    ['another length', 200, '{"id":10}'],
  ])('ends with the first answer of %s', async (_name, status, body) => {
    let asked = 0
    const run = loadOn((_req, res) => {
      asked += 1
      const [code, text] = asked < 20 ? [200, '{"id":1}'] : [status, body]
      res.writeHead(code, { 'Content-Length': text.length }).end(text)
    })
    await expect(run).rejects.toThrow('Wrong answer to GET /v1/pets/1')
  })

  it('shares its connections out evenly among several servers', async () => {
    const connections = [0, 0, 0]
    const servers = connections.map((_, index) =>
      createServer((_req, res) => res.writeHead(200, { 'Content-Length': 8 }).end('{"id":1}'))
        .on('connection', () => {
          connections[index] = (connections[index] ?? 0) + 1
        })
        .listen(0, '127.0.0.1'),
    )
    await Promise.all(servers.map((server) => once(server, 'listening')))
    const ports = servers.map((server) => (server.address() as AddressInfo).port)
    await load({ ports, connections: 12, requests: [request], milliseconds: 10_000, maxRequests: 50, probe: () => 0 })
    for (const server of servers) server.close()
    expect(connections).toEqual([4, 4, 4])
  })

  it('ends when the server closes the connection', async () => {
    await expect(loadOn((req) => req.socket.end())).rejects.toThrow('closed the connection')
  })
})
