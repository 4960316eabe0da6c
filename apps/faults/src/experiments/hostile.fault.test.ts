import { setTimeout } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { createApiKeyText } from '@pet-store/access'
import { RawConnection, requestBytes } from '@pet-store/testing'
import { expect, it } from 'vitest'
import { emptyDatabase } from '../harness/database.ts'
import { IS_LONG, report, size } from '../harness/experiment.ts'
import { flood, load } from '../harness/load.ts'
import { CONTAINER_OF_512_MB, Service } from '../harness/service.ts'

const CLIENTS = size(27, 200)
/** More than 400 responses of 400 kB. */
const MAX_GROWTH_MIB = 256
/**
 * How many times as long as without an attack the p99 of good requests may be, on a machine that
 * other programs use as well.
 */
const MAX_SLOWDOWN = 20
/** A shorter p99 without an attack counts as this: on such a machine it varies too much. */
const LEAST_NORMAL_MS = 50
/** 100 MB of spaces in some 100 kB, just below the limit of what is read. */
const BOMB = gzipSync(Buffer.alloc(100 * 1024 * 1024, ' ')).subarray(0, 102_000)
const DEEP = '['.repeat(40_000) + ']'.repeat(40_000)

interface Attack {
  readonly what: string
  /**
   * Sends the bytes one by one, slowly; whole, again and again; or whole, without reading the
   * responses.
   */
  readonly how: 'drip' | 'repeat' | 'hold'
  readonly bytes: (key: string) => Buffer
  /** The statuses that its responses may have. */
  readonly expected: readonly number[]
  readonly clients?: number
}

const get = (key: string, path = '/v1/pets'): Buffer => Buffer.from(requestBytes({ path, key }))

const create = (
  key: string,
  body: string | Buffer,
  headers: Record<string, string> = {},
): Buffer => {
  const length = { 'Content-Type': 'application/json', 'Content-Length': String(body.length) }
  const head = requestBytes({
    method: 'POST',
    path: '/v1/pets',
    key,
    headers: { ...length, ...headers },
  })
  return Buffer.concat([Buffer.from(head), Buffer.from(body)])
}

const ATTACKS: readonly Attack[] = [
  { what: 'slow headers', how: 'drip', bytes: (key) => get(key), expected: [200, 408] },
  {
    what: 'slow bodies',
    how: 'drip',
    bytes: (key) => create(key, '{"name":"Slow","categoryId":1}'),
    expected: [408],
  },
  {
    what: 'compressed bombs',
    how: 'repeat',
    bytes: (key) => create(key, BOMB, { 'Content-Encoding': 'gzip' }),
    expected: [413],
  },
  {
    what: 'thousands of parameters',
    how: 'repeat',
    bytes: (key) => get(key, `/v1/pets?${'a&'.repeat(7_500)}`),
    expected: [200, 400],
  },
  {
    what: 'deep nesting',
    how: 'repeat',
    bytes: (key) => create(key, '['.repeat(100_000)),
    expected: [400],
  },
  {
    what: 'nesting beside an integer such as 1.0',
    how: 'repeat',
    bytes: (key) => create(key, `{"name":"Deep","categoryId":1.0,"x":${DEEP}}`),
    expected: [201, 400],
  },
  {
    what: 'long arrays beside an integer such as 1.0',
    how: 'repeat',
    bytes: (key) => create(key, `{"name":1,"categoryId":1.0,"x":[${'1,'.repeat(45_000)}1]}`),
    expected: [400],
  },
  {
    what: 'unknown keys',
    how: 'repeat',
    bytes: () => get(createApiKeyText()),
    expected: [401, 429],
  },
  {
    what: 'rejected bodies in pieces of one byte',
    how: 'repeat',
    bytes: () => {
      const head = 'POST /v1/pets HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n'
      return Buffer.from(head + '1\r\nx\r\n'.repeat(500_000))
    },
    expected: [401],
  },
  {
    what: 'requests sent ahead of the responses',
    how: 'repeat',
    bytes: () => Buffer.from('GET / HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(2_500)),
    expected: [200],
  },
]

/** Of pets with long names: more than the buffers of a connection hold. */
const HELD: Attack = {
  what: 'responses held unread',
  how: 'hold',
  bytes: (key) => get(key, '/v1/pets?limit=100&status=sold'),
  expected: [],
  clients: size(27, 400),
}

/** In the short form all at once, in the long form each with as many clients. */
const GROUPS = IS_LONG
  ? ATTACKS.map((attack) => ({ what: attack.what, attacks: [attack] }))
  : [{ what: 'every kind at once', attacks: ATTACKS }]

it.each([...GROUPS, { what: HELD.what, attacks: [HELD] }])(
  'good clients are served beside hostile ones: $what',
  async ({ what, attacks }) => {
    const databaseUrl = await emptyDatabase('PostgreSQL')
    const service = await Service.start({ databaseUrl, nodeFlags: CONTAINER_OF_512_MB })
    await flood(service, { requests: 100, connections: 4 })
    const name = '🐕'.repeat(1_000)
    const bodyOf = () => JSON.stringify({ name, categoryId: 1, status: 'sold' })
    await flood(service, { bodyOf, requests: 100, connections: 4 })
    const { normal, attacked, results, growthMiB } = await measureBeside(service, attacks)
    report(`hostile: ${what}`, {
      clients: results.length,
      goodRequests: attacked.planned,
      p99Ms: attacked.p99Ms,
      normalP99Ms: normal.p99Ms,
      growthMiB,
    })
    // On a busy machine a request may find each of its connections waiting.
    expect(attacked.statuses).toEqual({ 200: attacked.planned - attacked.heldBack })
    // The short form also runs beside other programs, which delay the good clients as well.
    if (IS_LONG) {
      expect(attacked.heldBack).toBeLessThan(attacked.planned / 2)
      expect(attacked.p99Ms).toBeLessThan(MAX_SLOWDOWN * Math.max(normal.p99Ms, LEAST_NORMAL_MS))
    }
    expect(results.filter(({ unexpected }) => unexpected.length > 0)).toEqual([])
    expect(growthMiB).toBeLessThan(MAX_GROWTH_MIB)
    expect(service.isRunning).toBe(true)
  },
)

it('a heap of 256 MB is enough while thousands of connections send header fields', async () => {
  const databaseUrl = 'sqlite:./pets.db'
  const service = await Service.start({ databaseUrl, nodeFlags: CONTAINER_OF_512_MB })
  const beforeMiB = service.process.memoryMiB('VmRSS')
  const clients = size(1_000, 4_000)
  // As many fields as may be sent, then many more; neither request ends.
  for (const fields of [98, 1_800]) {
    const bytes = `GET /v1/pets HTTP/1.1\r\nHost: x\r\n${'abc:def\r\n'.repeat(fields)}`
    const connections = Array.from({ length: clients }, () => new RawConnection(service.port))
    for (const connection of connections) connection.write(bytes)
    expect((await service.ask({ path: '/v1/pets' }))?.status).toBe(200)
    for (const { socket } of connections) socket.destroy()
  }
  const growthMiB = Math.round(service.peakMiB - beforeMiB)
  report('many small header fields', { clients, growthMiB })
  expect(growthMiB).toBeLessThan(MAX_GROWTH_MIB)
  expect(service.isRunning).toBe(true)
})

/** Good requests without hostile clients, and then beside them. */
async function measureBeside(service: Service, attacks: readonly Attack[]) {
  // From another process, which the attacks from this one do not delay.
  const good = { creates: false, perSecond: 100, connections: 32, seconds: size(2, 10) } as const
  const normal = await load(service, good)
  const beforeMiB = service.process.memoryMiB('VmRSS')
  let isOver = false
  const running = attacks.flatMap((attack) =>
    Array.from({ length: attack.clients ?? Math.ceil(CLIENTS / attacks.length) }, async () => {
      const statuses = new Set(await run(attack, service, () => isOver))
      return {
        attack: attack.what,
        unexpected: [...statuses].filter((status) => !mayBe(attack, status)),
      }
    }),
  )
  await setTimeout(200)
  const attacked = await load(service, good).finally(() => {
    isOver = true
  })
  const results = await Promise.all(running)
  return { normal, attacked, results, growthMiB: Math.round(service.peakMiB - beforeMiB) }
}

/** Beside other programs, as the short form runs, the database may not respond in time. */
function mayBe({ expected }: Attack, status: number): boolean {
  return expected.includes(status) || (!IS_LONG && status === 503)
}

/** Attacks on one connection after the other until it is over; the statuses of the responses. */
async function run(
  { how, bytes }: Attack,
  service: Service,
  isOver: () => boolean,
): Promise<readonly number[]> {
  const statuses: number[] = []
  const request = bytes(service.key)
  while (!isOver()) {
    const connection = new RawConnection(service.port)
    if (how === 'drip') {
      for (let at = 0; at < request.length && connection.isOpen && !isOver(); at += 1) {
        connection.write(request.subarray(at, at + 1))
        await setTimeout(100)
      }
    } else if (how === 'repeat') {
      const response = await connection.write(request).nextResponse()
      if (response !== undefined) statuses.push(response.status)
    } else {
      connection.pause().write(request)
      while (!isOver() && connection.isOpen) await setTimeout(20)
    }
    statuses.push(...connection.responses.map(({ status }) => status))
    connection.socket.destroy()
  }
  return statuses
}
