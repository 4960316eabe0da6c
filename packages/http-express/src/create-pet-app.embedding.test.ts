import { gzipSync } from 'node:zlib'
import { createMemoryPets } from '@pet-store/domain/memory'
import express, { type Express } from 'express'
import { expect, it, onTestFinished, vi } from 'vitest'
import type { HttpApp } from './create-pet-app.ts'
import { expectError } from './testing/expect-error.test-support.ts'
import { createLoggedApp } from './testing/logged-app.test-support.ts'
import { startTestServer } from './testing/start-test-server.test-support.ts'

const PET = '{"name":"Rex","categoryId":9007199254740993}'

/** The pet app inside an app with a middleware and a route of its own, below a prefix. */
const embedIn = (shop: Express, prefix: string) => (petApp: HttpApp) =>
  shop
    .disable('x-powered-by')
    .use((_req, res, next) => {
      Object.assign(res.locals, { user: 'Ann' })
      res.on('finish', () => Object.assign(shop.locals, { seen: { ...res.locals } }))
      next()
    })
    .get('/hello', (req, res) => void res.json({ hello: req.query['name'] }))
    .use(prefix, petApp)

it.each(['/', '/shop'])(
  'the app works in another Express app below %s, beside routes and middleware',
  async (prefix) => {
    const shop = express()
    const server = await startTestServer({ around: embedIn(shop, prefix) })
    const base = prefix === '/' ? '' : prefix
    const address = (path: string, reference = '') =>
      new URL(reference, `http://x${base}${path}`).pathname
    const created = await server.post(PET, { path: `${base}/v1/pets` })
    expect(created).toMatchObject({ status: 201, text: PET.replace('{', '{"id":1,') })
    expect(address('/v1/pets', created.headers['location'] as string)).toBe(`${base}/v1/pets/1`)
    await server.post(PET, { path: `${base}/v1/pets` })
    const page = await server.send({ path: `${base}/v1/pets?limit=1` })
    const next = /<([^>]*)>/.exec(page.headers['link'] as string)?.[1] ?? ''
    expect(address('/v1/pets', next)).toBe(`${base}/v1/pets`)
    expect((await server.send({ path: `${base}/v1/pets${next}` })).text).toContain('"id":2,')
    expect((await server.send({ path: '/hello?name=Ann' })).text).toBe('{"hello":"Ann"}')
    for (const path of ['/nowhere', '/v1/pets/%zz'])
      expectError(await server.send({ path: base + path }), 'not_found')
    expect(shop.locals['seen']).toEqual({ user: 'Ann' })
  },
)

it('the app says that a body parser in front of it has read the body', async () => {
  const around = (petApp: HttpApp) => express().disable('x-powered-by').use(express.json(), petApp)
  const server = await startTestServer({
    around,
    repository: createMemoryPets(),
    maxConcurrentRequests: 1,
  })
  for (const body of [PET, '{}', '']) {
    expect(expectError(await server.post(body), 'not_implemented')).toContain(
      'mount the pet app before express.json()',
    )
  }
  expect((await server.send({})).text).toBe('[]')
})

it.each([
  [
    'rawBody',
    express.json({
      limit: '1mb',
      verify: (req, _res, bytes) => Object.assign(req, { rawBody: bytes }),
    }),
  ],
  ['body', express.raw({ type: '*/*', limit: '1mb' })],
])('the app reads the bytes that a body parser in front has kept in %s', async (_, parse) => {
  const around = (petApp: HttpApp) => express().disable('x-powered-by').use(parse, petApp)
  const server = await startTestServer({ around })
  expect((await server.post(PET)).text).toBe(PET.replace('{', '{"id":1,'))
  const gzipped = await server.post(gzipSync(PET), { headers: { 'Content-Encoding': 'gzip' } })
  expect(gzipped.text).toBe(PET.replace('{', '{"id":2,'))
  expectError(await server.post(''), 'invalid_request')
  expectError(await server.post(JSON.stringify({ x: 'x'.repeat(102_400) })), 'payload_too_large')
})

it('the app says so if a middleware in front has decoded the body', async () => {
  const around = (petApp: HttpApp) =>
    express()
      .disable('x-powered-by')
      .use((req, _res, next) => {
        req.setEncoding('utf8')
        next()
      }, petApp)
  const server = await startTestServer({ around })
  expectError(await server.post(PET), 'not_implemented')
})

it('the app has three parameters, by which frameworks know that it responds later', () => {
  expect(createLoggedApp().app).toHaveLength(3)
})

/** The pet app behind a middleware that keeps what is written until the end, like compression. */
const behindCompression = (petApp: HttpApp) =>
  express()
    .disable('x-powered-by')
    .use((_req, res, next) => {
      const end = res.end.bind(res)
      let text = ''
      Object.assign(res, {
        write: (chunk: string) => (text += chunk),
        end: (chunk = '') => end(text + chunk),
      })
      next()
    }, petApp)

it('an early error response passes through middleware that replaces write and end', async () => {
  const server = await startTestServer({ around: behindCompression })
  expectError(
    await server.post(PET, { headers: { Expect: '100-continue' }, key: null }),
    'unauthorized',
  )
})

it('an early error response behind such middleware reaches a client that sends 5 MB', async () => {
  const server = await startTestServer({ around: behindCompression })
  // A busy machine may need longer for them than a connection stays open.
  vi.useFakeTimers({ toFake: ['setTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  // Sends all before it reads, as some proxies do.
  const connection = server.connect().pause()
  const head = 'POST /v1/pets HTTP/1.1\r\nHost: a\r\nContent-Length: 5000000\r\n\r\n'
  connection.write(head)
  await new Promise((resolve) => connection.socket.write('x'.repeat(5_000_000), resolve))
  connection.socket.resume()
  expectError(await connection.response(), 'unauthorized')
  expect(connection.isBroken).toBe(false)
})

const PUBLIC = 'https://pets.example/shop'

it('where a public address is configured, references are absolute', async () => {
  const server = await startTestServer({ publicUrl: PUBLIC })
  await server.post(PET)
  const added = await server.post(PET)
  expect(added.headers['location']).toBe(`${PUBLIC}/v1/pets/2`)

  const list = await server.send({ path: '/v1/pets?limit=1' })
  const next = /^<([^>]+)>; rel="next"$/.exec(String(list.headers['link']))?.[1] ?? ''
  expect(next).toMatch(/^https:\/\/pets\.example\/shop\/v1\/pets\?limit=1&cursor=/)
  expect((await server.send({ path: next.replace(PUBLIC, '') })).text).toBe(`[${added.text}]`)

  const one = await server.send({ path: '/v1/pets/1' })
  expect(one.headers['link']).toBe(`<${PUBLIC}/docs>; rel="deprecation"; type="text/html"`)
})

it('the first page shows a configured public address, and nothing of the request', async () => {
  const server = await startTestServer({ publicUrl: PUBLIC })
  const page = await server.send({
    path: '/',
    headers: { Accept: 'text/html', Host: 'evil.example' },
    key: null,
  })
  expect(page.text).toContain(`${PUBLIC}/v1`)
})

it('a request for the mount path is redirected to the same path with a slash', async () => {
  const server = await startTestServer({ around: embedIn(express(), '/:shop') })
  const response = await server.send({ path: '/a:b?x=1', key: null })
  expect(response.status).toBe(308)
  const location = String(response.headers['location'])
  expect(new URL(location, 'http://x/a:b?x=1').href).toBe('http://x/a:b/?x=1')
  expect((await server.send({ path: '/a:b/', key: null })).status).toBe(200)
})

it('the app keeps the Vary header of a middleware in front of it', async () => {
  const shop = express().use((_req, res, next) => {
    res.setHeader('Vary', 'Origin')
    next()
  })
  const server = await startTestServer({ around: embedIn(shop, '/') })
  for (const [path, vary] of [
    ['/', 'Origin, Accept'],
    ['/openapi.json', 'Origin'],
    ['/v1/pets', 'Origin'],
  ] as const)
    expect((await server.send({ path })).headers['vary']).toBe(vary)
})

it('an event stream beside the app may be silent longer than other responses', async () => {
  const silent: (() => void)[] = []
  const server = await startTestServer({
    limits: { stallTimeoutMs: 50 },
    around: (petApp) =>
      express()
        .get('/events', (_req, res) => {
          res.setTimeout(0)
          res.write('first')
          silent.push(() => res.end('last'))
        })
        .get('/cut-off', (_req, res) => void res.write('first'))
        .use(petApp),
  })
  const stream = server.connect().write('GET /events HTTP/1.0\r\nHost: x\r\n\r\n')
  const other = server.connect().write('GET /cut-off HTTP/1.0\r\nHost: x\r\n\r\n')
  await other.closed()
  expect(silent).toHaveLength(1)
  for (const end of silent) end()
  expect(await stream.text()).toContain('last')
})
