import { setTimeout } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { createApiKeyText } from '@pet-store/access'
import { createDatabase } from '@pet-store/testing-postgres'
import type {} from '@pet-store/testing-postgres/vitest-global-setup'
import { expect, inject, it, onTestFinished } from 'vitest'
import { Connection, requestBytes } from '../harness/connection.ts'
import { flood } from '../harness/flood.ts'
import { sendOpenLoop } from '../harness/open-loop.ts'
import { IS_LONG, report, size } from '../harness/plan.ts'
import { BARE_SERVER, Service } from '../harness/service.ts'

const CLIENTS = size(27, 200)
const MAX_GROWTH_MIB = 256
/** How many times as long as without attack 99% of the good requests may take, on a machine that others use as well. */
const MAX_SLOWDOWN = 20
/** Less than this says nothing on such a machine. */
const LEAST_NORMAL_MS = 50

interface Attack {
  readonly what: string
  /** Attacks on one connection until it is over; the statuses of its responses. */
  readonly run: (service: Service, isOver: () => boolean) => Promise<readonly number[]>
  /** The statuses that its responses may have. */
  readonly expected: readonly number[]
}

const create = (key: string, body: string | Buffer, headers: Record<string, string> = {}): Buffer => {
  const length = { 'Content-Type': 'application/json', 'Content-Length': String(body.length) }
  const head = requestBytes({ method: 'POST', path: '/v1/pets', key, headers: { ...length, ...headers } })
  return Buffer.concat([Buffer.from(head), Buffer.from(body)])
}

/** Sends the bytes one by one, slowly. */
async function drip(service: Service, bytes: Buffer, isOver: () => boolean): Promise<readonly number[]> {
  const connection = await Connection.open(service.port)
  for (const [at] of bytes.entries()) {
    if (isOver() || connection.socket.destroyed) break
    connection.write(bytes.subarray(at, at + 1))
    await setTimeout(100)
  }
  connection.destroy()
  return connection.responses.map(({ status }) => status)
}

/** Sends the same request again and again, each after the response to the one before. */
async function repeat(service: Service, bytes: Buffer, isOver: () => boolean): Promise<readonly number[]> {
  const statuses: number[] = []
  while (!isOver()) {
    const connection = await Connection.open(service.port).catch(() => undefined)
    connection?.write(bytes)
    const response = await connection?.response(0)
    if (response !== undefined) statuses.push(response.status)
    connection?.destroy()
  }
  return statuses
}

const ATTACKS: readonly Attack[] = [
  {
    what: 'slow headers',
    run: (service, isOver) => drip(service, Buffer.from(requestBytes({ path: '/v1/pets', key: service.key })), isOver),
    expected: [200, 408],
  },
  {
    what: 'slow bodies',
    run: (service, isOver) =>
      drip(service, create(service.key, JSON.stringify({ name: 'Slow', categoryId: 1 })), isOver),
    expected: [408],
  },
  {
    what: 'compressed bombs',
    run: (service, isOver) => repeat(service, create(service.key, BOMB, { 'Content-Encoding': 'gzip' }), isOver),
    expected: [413],
  },
  {
    what: 'thousands of parameters',
    run: (service, isOver) =>
      repeat(service, Buffer.from(requestBytes({ path: `/v1/pets?${'a&'.repeat(7_500)}`, key: service.key })), isOver),
    expected: [200, 400],
  },
  {
    what: 'deep nesting',
    run: (service, isOver) => repeat(service, create(service.key, '['.repeat(100_000)), isOver),
    expected: [400],
  },
  {
    what: 'nesting beside an integer such as 1.0',
    run: (service, isOver) =>
      repeat(
        service,
        create(service.key, `{"name":"Deep","categoryId":1.0,"x":${'['.repeat(40_000)}${']'.repeat(40_000)}}`),
        isOver,
      ),
    expected: [201, 400],
  },
  {
    what: 'long arrays beside an integer such as 1.0',
    run: (service, isOver) =>
      repeat(service, create(service.key, `{"name":1,"categoryId":1.0,"x":[${'1,'.repeat(45_000)}1]}`), isOver),
    expected: [400],
  },
  {
    what: 'unknown keys',
    run: (service, isOver) =>
      repeat(service, Buffer.from(requestBytes({ path: '/v1/pets', key: createApiKeyText() })), isOver),
    expected: [401, 429],
  },
]

const READERS: Attack = {
  what: 'readers that do not read',
  async run(service, isOver) {
    const connection = await Connection.open(service.port)
    connection.socket.pause()
    const bytes = requestBytes({ path: '/v1/pets?limit=100', key: service.key }).repeat(100)
    while (!isOver()) {
      if (connection.socket.writableLength < 100_000) connection.write(bytes)
      await setTimeout(20)
    }
    connection.destroy()
    return []
  },
  expected: [],
}

/** 100 MB of spaces in some 100 kB, just below the limit of what is read. */
const BOMB = gzipSync(Buffer.alloc(100 * 1024 * 1024, ' ')).subarray(0, 102_000)

/** In the short form all at once, in the long form each with as many clients. */
const GROUPS = IS_LONG
  ? ATTACKS.map((attack) => ({ what: attack.what, attacks: [attack] }))
  : [{ what: 'every kind at once', attacks: ATTACKS }]

it.each(GROUPS)('serves good clients beside hostile ones: $what', async ({ what, attacks }) => {
  await serveBeside(what, attacks)
})

it('serves good clients beside hostile ones: readers that do not read', async () => {
  await serveBeside('readers that do not read', [READERS])
})

async function serveBeside(what: string, attacks: readonly Attack[]): Promise<void> {
  const { url, drop } = await createDatabase(inject('postgresUrl'))
  onTestFinished(drop)
  const service = await Service.start({ databaseUrl: url })
  const body = (number: number) => JSON.stringify({ name: `pet-${number}`, categoryId: number })
  await flood(service, { path: '/v1/pets', bodyOf: body, requests: 200, connections: 4 })
  const { normal, attacked, results, growthMiB } = await measureBeside(service, attacks)
  // What Node and the machine make of the same clients.
  const bare = IS_LONG ? await measureBeside(await startBareServer(), attacks) : undefined
  report(`hostile: ${what}`, {
    clients: results.length,
    goodRequests: attacked.planned,
    p99Ms: attacked.p99Ms,
    normalP99Ms: normal.p99Ms,
    ...(bare && { bareP99Ms: bare.attacked.p99Ms, bareNormalP99Ms: bare.normal.p99Ms }),
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
}

async function startBareServer(): Promise<Service> {
  return await Service.start({ databaseUrl: 'none', program: BARE_SERVER })
}

/** Good requests without hostile clients, and then beside them. */
async function measureBeside(service: Service, attacks: readonly Attack[]) {
  // From another process, which the attacks from this one do not delay.
  const good = {
    port: service.port,
    key: service.key,
    creates: false,
    perSecond: 100,
    connections: 32,
    core: 0,
  } as const
  const normal = await sendOpenLoop({ ...good, seconds: size(2, 10) })
  const before = service.memoryMiB()
  let isOver = false
  const running = attacks.flatMap((attack) =>
    Array.from({ length: Math.ceil(CLIENTS / attacks.length) }, async () => {
      const statuses = new Set(await attack.run(service, () => isOver))
      return { attack: attack.what, unexpected: [...statuses].filter((status) => !attack.expected.includes(status)) }
    }),
  )
  await setTimeout(200)
  const attacked = await sendOpenLoop({ ...good, seconds: size(2, 10) }).finally(() => {
    isOver = true
  })
  const results = await Promise.all(running)
  return { normal, attacked, results, growthMiB: Math.round(service.memoryMiB('VmHWM') - before) }
}
