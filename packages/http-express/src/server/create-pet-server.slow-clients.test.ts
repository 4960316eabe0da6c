import { setTimeout as pause } from 'node:timers/promises'
import { SCOPES } from '@pet-store/access'
import type { Pet } from '@pet-store/domain'
import { createMemoryPets } from '@pet-store/domain/memory'
import type { RawConnection } from '@pet-store/testing'
import { it, type TestContext } from 'vitest'
import { GET, PET, POST } from '../testing/broken-requests.test-support.ts'
import { expectError } from '../testing/expect-error.test-support.ts'
import {
  openTestServer,
  type TestServerOptions,
} from '../testing/start-test-server.test-support.ts'

/** The tests wait beside each other, so each stops its own server. */
async function start({ onTestFinished }: TestContext, options: TestServerOptions) {
  const server = await openTestServer(options)
  onTestFinished(() => server.close())
  return server
}

const limits = { headersTimeoutMs: 300, requestTimeoutMs: 600, checkIntervalMs: 20 }
/** Far more than a request without delays takes to arrive on a loaded machine. */
const longLimits = { headersTimeoutMs: 2_000, requestTimeoutMs: 2_000, checkIntervalMs: 20 }

it.concurrent.for<readonly [string, string]>([
  ['whose headers do not end', GET],
  ['whose request line does not end', 'GET /v1'],
  ['whose body does not end', `${POST}Content-Length: 100\r\n\r\n{"na`],
  ['whose chunked body does not end', `${POST}Transfer-Encoding: chunked\r\n\r\n5\r\n{"na`],
  [
    'that announces a body and sends none',
    `${POST}Content-Length: 100\r\nExpect: 100-continue\r\n\r\n`,
  ],
])('a request %s gets 408', async ([, data], context) => {
  const { expect } = context
  const server = await start(context, { limits })
  const connection = server.connect().write(data)
  const response = await connection.response()
  expectError(response, 'request_timeout')
  expect(response.headers['connection']).toBe('close')
  expect(await connection.closed()).toBe(0)
})

it.concurrent('a slow request after a good one on its connection gets 408', async (context) => {
  const { expect } = context
  const server = await start(context, { limits: longLimits })
  const connection = server.connect().write(`${GET}\r\nGET /v1`)
  expect((await connection.response()).status).toBe(200)
  expectError(await connection.response(), 'request_timeout')
  expect(await connection.closed()).toBe(0)
})

it.concurrent('a slow request does not take the time of a slow response', async (context) => {
  const { expect } = context
  const tokenCheck = async () => {
    await new Promise((resolve) => setTimeout(resolve, 2_500))
    return { keyId: 'test', scopes: SCOPES }
  }
  const server = await start(context, { limits: longLimits, tokenCheck })
  expect((await server.post(PET)).status).toBe(201)
})

const CLIENTS = 60

/** About 400 KB on the wire. */
const LONG_LIST: readonly Pet[] = Array.from({ length: 100 }, (_, index) => ({
  id: BigInt(index + 1),
  name: '🐕'.repeat(1_000),
  categoryId: 1n,
}))
const repository = { ...createMemoryPets(), list: async () => LONG_LIST }
const GET_LONG_LIST = `${GET.replace('/v1/pets', '/v1/pets?limit=100')}\r\n`

it.concurrent('slow clients are dropped, good clients are served meanwhile', async (context) => {
  const { expect } = context
  const limits = {
    // Far more than a request without delays takes to arrive on a loaded machine.
    headersTimeoutMs: 5_000,
    requestTimeoutMs: 6_000,
    checkIntervalMs: 100,
    keepAliveTimeoutMs: 5_000,
  }
  const server = await start(context, { limits, repository })
  const open = () => Array.from({ length: CLIENTS }, () => server.connect())
  const slowHeaders = open().map((connection) => connection.write(GET))
  const slowBodies = open().map((connection) =>
    connection.write(`${POST}Content-Length: 1000\r\n\r\n`),
  )
  for (const connection of open()) connection.pause().write(GET_LONG_LIST)
  context.onTestFinished(trickle([...slowHeaders, ...slowBodies]))
  const slow = [...slowHeaders, ...slowBodies]

  // The good client pauses, because it would keep a core busy for the six seconds. Its connection
  // is the one that remains.
  do {
    await pause(50)
    expect((await server.post(PET)).status).toBe(201)
    expect((await server.send({})).status).toBe(200)
  } while (
    slow.some(({ responses, isOpen }) => isOpen && responses.length === 0) ||
    (await server.connections()) > 1
  )
  for (const connection of slow) expectError(await connection.response(), 'request_timeout')
  expect(server.log.internalErrors).toEqual([])
})

/** Sends a byte every 200 ms, so that no connection is idle. Returns a function that ends it. */
function trickle(connections: readonly RawConnection[]): () => void {
  const timer = setInterval(() => {
    for (const connection of connections) if (!connection.isBroken) connection.write('x')
  }, 200)
  return () => clearInterval(timer)
}
