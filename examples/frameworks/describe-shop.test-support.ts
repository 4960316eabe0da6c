import { once } from 'node:events'
import type { Server } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { createApiKeyText, createStaticKeys, hashApiKey } from '@pet-store/access'
import { createPetUseCases } from '@pet-store/domain'
import { createMemoryPets } from '@pet-store/domain/memory'
import {
  createPetApp,
  type HttpApp,
  type HttpLog,
  type PetServer,
  type RequestEntry,
} from '@pet-store/http-express'
import { describe, expect, it, onTestFinished } from 'vitest'

/** A framework that listens, with the pet app below `/pets-api`. */
export interface Shop {
  readonly server: Server
  close(): Promise<unknown>
}

/** Starts it on any port, with `GET /hello` and `POST /echo` of its own, which parses JSON. */
export type StartShop = (petApp: HttpApp, log: HttpLog) => Promise<Shop>

interface Options {
  /** What the framework itself sends for invalid percent-encoding. Default: it does not. */
  readonly badEncodingStatus?: number
  /** Whether the server is one of `createPetServer`. Default: it is one of the framework. */
  readonly hasPetServer?: boolean
}

const API_KEY = createApiKeyText()
const PET = '{"name":"Zoë","categoryId":9007199254740993}'

/** What works in each framework. */
export function describeShop(name: string, startShop: StartShop, options: Options = {}): void {
  describe(name, () => {
    it(`${name}: adds, lists and gets a pet, by references below the prefix`, async () => {
      const { send, log } = await start(startShop)
      const created = await send('/pets-api/v1/pets', { body: PET })
      expect(created.status).toBe(201)
      expect(await created.text()).toBe(PET.replace('{', '{"id":1,'))
      const location = new URL(created.headers.get('location') ?? '', created.url)
      expect(location.pathname).toBe('/pets-api/v1/pets/1')
      expect((await send('/pets-api/v1/pets', { body: PET })).status).toBe(201)
      const page = await send('/pets-api/v1/pets?limit=1')
      expect(await page.text()).toBe(`[${PET.replace('{', '{"id":1,')}]`)
      const [, next = ''] = /<([^>]*)>; rel="next"/.exec(page.headers.get('link') ?? '') ?? []
      const { pathname, search } = new URL(next, page.url)
      expect(await (await send(pathname + search)).text()).toContain('"id":2,')
      expect(await (await send(location.pathname)).text()).toBe(PET.replace('{', '{"id":1,'))
      expect(await (await send('/pets-api')).json()).toMatchObject({ service: 'pet-store' })
      expect(log.internalErrors).toEqual([])
    })

    it(`${name}: sends the errors of the interface`, async () => {
      const { send, log } = await start(startShop)
      const codeOf = async (path: string, sending?: Sending) => {
        const response = await send(path, sending)
        const { code, status } = (await response.json()) as { code: string; status: number }
        expect(status).toBe(response.status)
        return code
      }
      const pets = '/pets-api/v1/pets'
      expect(await codeOf(pets, { key: null })).toBe('unauthorized')
      expect(await codeOf(pets, { key: null, body: PET })).toBe('unauthorized')
      expect(await codeOf(pets, { body: '{' })).toBe('invalid_request')
      expect(await codeOf(pets, { body: 'x'.repeat(200_000) })).toBe('payload_too_large')
      expect(await codeOf(pets, { body: PET, type: 'text/xml' })).toBe('unsupported_media_type')
      expect(await codeOf(pets, { body: PET, method: 'PUT' })).toBe('method_not_allowed')
      for (const path of [`${pets}/2`, `${pets}/`, '/pets-api/nowhere'])
        expect(await codeOf(path)).toBe('not_found')
      const { badEncodingStatus = 404 } = options
      expect((await send(`${pets}/%zz`)).status).toBe(badEncodingStatus)
      expect(log.internalErrors).toEqual([])
    })

    it(`${name}: keeps its own routes, with their bodies, and its own 404`, async () => {
      const { send, log } = await start(startShop)
      expect(await (await send('/hello')).json()).toEqual({ hello: 'shop' })
      const echo = await send('/echo', { body: '{"a":[1]}' })
      expect(await echo.json()).toEqual({ a: [1] })
      for (const path of ['/nowhere', '/pets-apis/v1/pets']) {
        const response = await send(path)
        expect(response.status).toBe(404)
        expect(await response.text()).not.toContain('not_found')
      }
      expect(log.begun).toBe(0)
    })

    it(`${name}: frees the slots of clients that leave, and closes`, async () => {
      const { send, log, port, close } = await start(startShop)
      for (let count = 1; count <= 3; count += 1) {
        const client = connect(port)
        client.write(
          `POST /pets-api/v1/pets HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${API_KEY}\r\n` +
            'Content-Type: application/json\r\nContent-Length: 99\r\n\r\n{"name"',
        )
        await expect.poll(() => log.begun).toBe(count)
        client.resetAndDestroy()
      }
      const responses = await Promise.all(
        [1, 2, 3].map(() => send('/pets-api/v1/pets', { body: PET })),
      )
      expect(responses.map(({ status }) => status)).toEqual([201, 201, 201])
      await Promise.all(responses.map((response) => response.text()))
      await close()
      await expect.poll(() => log.requests).toHaveLength(6)
      const isComplete = log.requests.map((entry) => entry.isComplete)
      expect(isComplete.toSorted()).toEqual([false, false, false, true, true, true])
    })

    if (!options.hasPetServer) return
    it(`${name}: sends what createPetServer sends when a request is broken`, async () => {
      const { log, port } = await start(startShop)
      const post =
        `POST /pets-api/v1/pets HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${API_KEY}\r\n` +
        `Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(PET)}\r\n\r\n${PET}`
      const broken = 'HELLO\r\n\r\n'
      expect(await exchange(port, post + broken)).toMatch(/^HTTP\/1\.1 201 .*"name":"Zoë"[^}]*}$/s)
      expect(await exchange(port, broken)).toMatch(/^HTTP\/1\.1 400 .*"code":"invalid_request"/s)
      await expect
        .poll(() => log.requests)
        .toMatchObject([
          { status: 201, isComplete: true },
          { status: 400, isComplete: true },
        ])
    })
  })
}

interface Sending {
  /** Default: GET, or POST with a body. */
  readonly method?: string
  readonly body?: string
  readonly type?: string
  /** Default: a valid one. */
  readonly key?: string | null
}

async function start(startShop: StartShop) {
  const log = { begun: 0, requests: [] as RequestEntry[], internalErrors: [] as unknown[] }
  const httpLog: HttpLog = {
    begin: () => {
      log.begun += 1
    },
    request: (entry) => log.requests.push(entry),
    internalError: (error) => log.internalErrors.push(error),
  }
  const petApp = createPetApp({
    pets: createPetUseCases(createMemoryPets()),
    tokenCheck: createStaticKeys([{ keyId: 'test-key', sha256: hashApiKey(API_KEY) }]),
    log: httpLog,
    readiness: async () => ({}),
    // A slot that is not freed makes the next request wait.
    maxConcurrentRequests: 1,
  })
  const shop = await startShop(petApp, httpLog)
  let closing: Promise<unknown> | undefined
  const close = () => {
    closing ??= shop.close()
    return closing
  }
  onTestFinished(async () => {
    shop.server.closeAllConnections()
    await close()
  })
  const { port } = shop.server.address() as AddressInfo
  const send = (
    path: string,
    { body, method = body === undefined ? 'GET' : 'POST', type, key = API_KEY }: Sending = {},
  ) => {
    const headers = {
      ...(body !== undefined && { 'Content-Type': type ?? 'application/json' }),
      ...(key !== null && { Authorization: `Bearer ${key}` }),
    }
    const url = `http://127.0.0.1:${port}${path}`
    return fetch(url, { method, headers, ...(body !== undefined && { body }) })
  }
  return { send, log, port, close }
}

/** Sends bytes, and returns what the server sends until it closes the connection. */
async function exchange(port: number, data: string): Promise<string> {
  return text(connect(port).end(data))
}

/** Listens on any port. */
export async function listen(server: Server | PetServer): Promise<Shop> {
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return {
    server,
    close: () =>
      'shutDown' in server ? server.shutDown() : new Promise((resolve) => server.close(resolve)),
  }
}
