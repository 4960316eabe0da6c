import { createServer, type IncomingMessage, ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { configure } from '@codegenie/serverless-express'
import { createMemoryRateLimiter } from '@pet-store/access'
import { configure as configureVendia } from '@vendia/serverless-express'
import express, { type Express } from 'express'
import { toFetchResponse, toReqRes } from 'fetch-to-node'
import inject from 'light-my-request'
import serverless from 'serverless-http'
import supertest from 'supertest'
import { describe, expect, it } from 'vitest'
import type { HttpApp } from './create-pet-app.ts'
import { createLoggedApp } from './testing/logged-app.test-support.ts'
import { API_KEY } from './testing/start-test-server.test-support.ts'

interface AdapterResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, unknown>>
  readonly text: string
}

type Send = (method: string, path: string, key?: string, body?: string) => Promise<AdapterResponse>

const headersOf = (key: string, body: string | undefined) => ({
  host: 'shop.example',
  ...(key !== '' && { authorization: `Bearer ${key}` }),
  ...(body !== undefined && { 'content-type': 'application/json' }),
})

/** An event of API Gateway, as AWS sends it for a REST API. */
const eventOf = (method: string, path: string, key: string, body: string | undefined) => {
  const [pathOnly = '', query] = path.split('?')
  const headers = {
    ...headersOf(key, body),
    ...(body !== undefined && { 'content-length': String(Buffer.byteLength(body)) }),
  }
  return {
    resource: '/{proxy+}',
    httpMethod: method,
    path: pathOnly,
    headers,
    multiValueHeaders: Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [name, [value]]),
    ),
    queryStringParameters: Object.fromEntries(new URLSearchParams(query)),
    multiValueQueryStringParameters: Object.fromEntries(
      [...new URLSearchParams(query)].map(([name, value]) => [name, [value]]),
    ),
    requestContext: { identity: { sourceIp: '192.0.2.1' }, stage: 'test' },
    body: body ?? null,
    isBase64Encoded: false,
  }
}

interface LambdaResult {
  readonly statusCode: number
  readonly headers?: Readonly<Record<string, unknown>>
  readonly multiValueHeaders?: Readonly<Record<string, readonly unknown[]>>
  readonly body: string
}

const responseOf = ({
  statusCode,
  headers,
  multiValueHeaders,
  body,
}: LambdaResult): AdapterResponse => ({
  status: statusCode,
  headers: {
    ...headers,
    ...Object.fromEntries(
      Object.entries(multiValueHeaders ?? {}).map(([name, [value]]) => [name, value]),
    ),
  },
  text: body,
})

/** Ways to call the app without a connection of its own server. */
const ADAPTERS: Readonly<Record<string, (app: HttpApp) => Send>> = {
  'light-my-request':
    (app) =>
    async (method, path, key = API_KEY, body) => {
      const sent = { method: method as 'GET', url: path, headers: headersOf(key, body) }
      const response = await inject(
        app as never,
        body === undefined ? sent : { ...sent, payload: body },
      )
      return { status: response.statusCode, headers: response.headers, text: response.payload }
    },

  'fetch-to-node':
    (app) =>
    async (method, path, key = API_KEY, body) => {
      // A `Request` has the host in its URL alone.
      const { host, ...headers } = headersOf(key, body)
      const sent = { method, headers, ...(body !== undefined && { body }) }
      const { req, res } = toReqRes(new Request(`http://${host}${path}`, sent))
      app(req, res)
      const response = await toFetchResponse(res)
      return {
        status: response.status,
        headers: Object.fromEntries(response.headers),
        text: await response.text(),
      }
    },

  supertest:
    (app) =>
    async (method, path, key = API_KEY, body) => {
      const test = supertest(createServer(app))[method === 'POST' ? 'post' : 'get'](path)
      const response = await test.set(headersOf(key, body)).send(body)
      return { status: response.status, headers: response.headers, text: response.text }
    },

  'serverless-http': (app) => {
    const handle = serverless(app as never)
    return async (method, path, key = API_KEY, body) =>
      responseOf((await handle(eventOf(method, path, key, body), {})) as LambdaResult)
  },

  '@codegenie/serverless-express': (app) => sendThrough(configure({ app: inExpress(app) })),
  '@vendia/serverless-express': (app) => sendThrough(configureVendia({ app: inExpress(app) })),
}

/** These two call Express's own methods, so they take an Express app. */
function inExpress(app: HttpApp): Express {
  return express()
    .disable('x-powered-by')
    .use(app as never)
}

function sendThrough(handler: unknown): Send {
  const handle = handler as (event: object, context: object) => Promise<LambdaResult>
  return async (method, path, key = API_KEY, body) =>
    responseOf(await handle(eventOf(method, path, key, body), {}))
}

const PET = '{"name":"Zoë 🐕","categoryId":9007199254740993}'

describe.each(Object.keys(ADAPTERS))('%s', (name) => {
  function start() {
    const limit = { requests: 1_000, windowMs: 60_000 }
    const { app, log, errors } = createLoggedApp({
      maxConcurrentRequests: 2,
      rateLimiting: { limit, limiter: createMemoryRateLimiter(limit) },
    })
    return { send: (ADAPTERS[name] as (typeof ADAPTERS)[string])(app), log, errors }
  }

  it(`${name} carries each request and its whole response`, async () => {
    const { send, errors } = start()
    const created = await send('POST', '/v1/pets', API_KEY, PET)
    expect(created).toMatchObject({ status: 201, text: PET.replace('{', '{"id":1,') })
    expect(created.headers['location']).toBe('pets/1')
    expect(created.headers['content-type']).toBe('application/json')
    expect(created.headers['cache-control']).toBe('no-store')
    expect(Object.keys(created.headers)).not.toContain('0')
    expect((await send('GET', '/v1/pets?limit=1')).text).toBe(`[${created.text}]`)
    expect((await send('GET', '/')).status).toBe(200)
    expect((await send('GET', '/openapi.json')).headers['etag']).toMatch(/^"/)
    expect((await send('GET', '/v1/pets?limit=0')).status).toBe(400)
    expect((await send('GET', '/v1/pets', '')).headers['www-authenticate']).toContain('Bearer')
    expect((await send('POST', '/v1/pets', '', PET)).status).toBe(401)
    expect((await send('POST', '/v1/pets', API_KEY, 'x'.repeat(200_000))).status).toBe(413)
    expect(errors).toEqual([])
  })

  it(`${name} frees the slot of each request and logs it as complete`, async () => {
    const { send, log } = start()
    for (let count = 0; count < 6; count += 1) {
      expect((await send('POST', '/v1/pets', API_KEY, PET)).status).toBe(201)
    }
    await expect.poll(() => log).toHaveLength(6)
    expect(log).toEqual(
      Array(6).fill(expect.objectContaining({ route: '/v1/pets', status: 201, isComplete: true })),
    )
  })

  it(`${name} gets 404 for bad percent-encoding, behind the key check`, async () => {
    const { send, errors } = start()
    for (const path of ['/v1/pets/%zz', '/v1/%', '/%c0'])
      expect(await send('GET', path)).toMatchObject({
        status: 404,
        text: expect.stringContaining('not_found'),
      })
    expect((await send('GET', '/v1/pets/%zz', '')).status).toBe(401)
    expect(errors).toEqual([])
  })
})

it.each([
  ['a text', PET],
  ['plain bytes', new TextEncoder().encode(PET)],
  ['a Buffer', Buffer.from(PET)],
])('the app reads the body of a stream that an adapter makes of %s', async (_, body) => {
  const { app, errors } = createLoggedApp()
  const headers = headersOf(API_KEY, PET)
  const req = Object.assign(Readable.from([body]), { method: 'POST', url: '/v1/pets', headers })
  const res = new ServerResponse(req as unknown as IncomingMessage)
  app(req as unknown as IncomingMessage, res)
  await expect.poll(() => res.writableEnded).toBe(true)
  expect(errors).toEqual([])
  expect(res.statusCode).toBe(201)
})
