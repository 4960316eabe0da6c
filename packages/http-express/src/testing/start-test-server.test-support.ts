import type { RequestListener } from 'node:http'
import { Agent, request, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { promisify } from 'node:util'
import { createApiKeyText, createStaticKeys, hashApiKey } from '@pet-store/access'
import { createPetUseCases, type PetRepository } from '@pet-store/domain'
import { createMemoryPets } from '@pet-store/domain/memory'
import { RawConnection } from '@pet-store/testing'
import { onTestFinished, type TestAPI, test } from 'vitest'
import { createPetApp, type HttpApp, type PetAppOptions } from '../create-pet-app.ts'
import type { HttpLog, RequestEntry } from '../request/http-log.ts'
import { createPetServer, type PetServerOptions } from '../server/create-pet-server.ts'
import { expectDeclared } from './expect-declared.test-support.ts'
import type { TestResponse } from './expect-error.test-support.ts'
import { FAKE_PAGES } from './fake-pages.test-support.ts'

/** A valid key, for every test of this run. */
export const API_KEY: string = createApiKeyText()

/** A request of a test. `API_KEY` is sent unless there is another `key` or null. */
interface Sending {
  readonly method?: string
  /** Sent unchanged, without normalised slashes and encodings. */
  readonly path?: string
  readonly headers?: Readonly<Record<string, string | string[]>>
  readonly body?: string | Uint8Array
  /** Sends the body in chunks of this many bytes, without a Content-Length. */
  readonly chunkBytes?: number
  readonly key?: string | null
}

/** What was logged, in order. */
interface RecordedLog {
  /** How many requests have begun. */
  begun: number
  readonly requests: RequestEntry[]
  readonly internalErrors: { readonly error: unknown; readonly requestId: string }[]
  readonly unavailable: { readonly error: unknown; readonly requestId: string }[]
}

export interface TestServer {
  /** Without a slash at its end. */
  readonly url: string
  readonly log: RecordedLog
  /** The clock of the app; tests set it. */
  readonly clock: { now: Date }
  send(sending: Sending): Promise<TestResponse>
  /** Sends JSON to `/v1/pets` by POST; `sending` may change each of these. */
  post(body: string | Uint8Array, sending?: Sending): Promise<TestResponse>
  connect(): RawConnection
  /** How many connections the server holds. */
  connections(): Promise<number>
  /** Stops the server as SIGTERM does. */
  shutDown(): Promise<void>
  close(): Promise<void>
}

export interface TestServerOptions extends Partial<PetAppOptions> {
  readonly repository?: PetRepository
  readonly limits?: PetServerOptions
  /** Puts the pet app into another app. */
  readonly around?: (petApp: HttpApp) => RequestListener
}

/**
 * Starts the real server on a free port with the memory repository; stops it when the test ends.
 * Every response that `send` and `post` give back is one that the description declares.
 */
export async function startTestServer(options: TestServerOptions = {}): Promise<TestServer> {
  const server = await openTestServer(options)
  onTestFinished(() => server.close())
  return server
}

/**
 * A test that can take a server of its own with pets in memory: `it('…', async ({ server }) => …)`.
 */
export const it: TestAPI<{ server: TestServer }> = test.extend<{ server: TestServer }>({
  server: async ({ task: _ }, use) => use(await startTestServer()),
})

/** A repository whose every function rejects. */
export function failingWith(reject: () => Promise<never>): PetRepository {
  return Object.fromEntries(Object.keys(createMemoryPets()).map((name) => [name, reject])) as never
}

/** Starts the server of `startTestServer` for `beforeAll`; the caller closes it. */
export async function openTestServer(options: TestServerOptions = {}): Promise<TestServer> {
  const { repository, limits, around = (petApp) => petApp, ...rest } = options
  const log: RecordedLog = { begun: 0, requests: [], internalErrors: [], unavailable: [] }
  const clock = { now: new Date('2027-01-01T00:00:00Z') }
  const httpLog: HttpLog = {
    begin: () => {
      log.begun += 1
    },
    request: (entry) => log.requests.push(entry),
    internalError: (error, requestId) => log.internalErrors.push({ error, requestId }),
    unavailable: (error, requestId) => log.unavailable.push({ error, requestId }),
  }
  const app = createPetApp({
    pets: createPetUseCases(repository ?? createMemoryPets([], undefined, () => clock.now)),
    tokenCheck: createStaticKeys([{ keyId: 'test-key', sha256: hashApiKey(API_KEY) }]),
    nowMs: () => clock.now.getTime(),
    log: httpLog,
    readiness: async () => ({ database: 'ok' }),
    pages: FAKE_PAGES,
    ...rest,
  })
  const { trustProxy, corsOrigins } = rest
  const server = createPetServer(around(app), httpLog, {
    ...limits,
    ...(trustProxy !== undefined && { trustProxy }),
    ...(corsOrigins !== undefined && { corsOrigins }),
  })
  const port = await listen(server)
  const agent = new Agent({ keepAlive: true })

  const send = async (sending: Sending) => {
    const response = await sendRequest(agent, port, sending)
    expectDeclared(sending.method ?? 'GET', sending.path ?? '/v1/pets', response)
    return response
  }
  return {
    url: `http://127.0.0.1:${port}`,
    log,
    clock,
    send,
    post: (body, sending = {}) =>
      send({
        method: 'POST',
        body,
        ...sending,
        headers: { 'Content-Type': 'application/json', ...sending.headers },
      }),
    connect: () => new RawConnection(port),
    connections: promisify(server.getConnections.bind(server)),
    shutDown: () => server.shutDown(),
    async close() {
      agent.destroy()
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return (server.address() as AddressInfo).port
}

function sendRequest(agent: Agent, port: number, sending: Sending): Promise<TestResponse> {
  const {
    method = 'GET',
    path = '/v1/pets',
    headers = {},
    body,
    chunkBytes,
    key = API_KEY,
  } = sending
  const length =
    body !== undefined && chunkBytes === undefined
      ? { 'Content-Length': Buffer.byteLength(body) }
      : {}
  const authorization = key === null ? {} : { Authorization: `Bearer ${key}` }
  return new Promise((resolve, reject) => {
    const req = request({
      agent,
      port,
      host: '127.0.0.1',
      method,
      path,
      headers: { ...authorization, ...length, ...headers },
    })
    req.on('error', reject)
    req.on('response', (res) => {
      const chunks: Buffer[] = []
      res.on('data', (chunk: Buffer) => chunks.push(chunk))
      res.on('error', reject)
      res.on('end', () => {
        const bytes = Buffer.concat(chunks)
        resolve({
          status: res.statusCode ?? 0,
          headers: res.headers,
          text: bytes.toString(),
          bytes,
        })
      })
    })
    if (body !== undefined && chunkBytes !== undefined) {
      const bytes = Buffer.from(body)
      for (let start = 0; start < bytes.length; start += chunkBytes)
        req.write(bytes.subarray(start, start + chunkBytes))
      req.end()
    } else {
      req.end(body)
    }
  })
}
