import { describe, expect } from 'vitest'
import { expectError } from '../testing/expect-error.test-support.ts'
import { it, startTestServer, type TestServer } from '../testing/start-test-server.test-support.ts'

const HTML = { Accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' }
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; " +
  "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

const get = (server: TestServer, path: string, headers: Record<string, string> = HTML) =>
  server.send({ path, headers, key: null })

it.for([
  ['/', /^store /],
  ['/docs', /^reference /],
] as const)(
  'the page %s is HTML whose policy allows nothing inline',
  async ([path, text], { server }) => {
    expect(await get(server, path)).toMatchObject({
      status: 200,
      headers: {
        'content-type': 'text/html; charset=utf-8',
        'content-security-policy': POLICY,
        'cache-control': 'no-store',
      },
      text: expect.stringMatching(text),
    })
  },
)

describe('the first page', () => {
  it.for([
    undefined,
    '*/*',
    'application/json',
    'application/json, text/html',
    'text/html;q=0.5, */*',
    'image/png',
  ])(
    'the first page is a pointer to the description for Accept: %s',
    async (accept, { server }) => {
      const response = await get(server, '/', accept === undefined ? {} : { Accept: accept })
      expect(response).toMatchObject({
        status: 200,
        headers: { 'content-type': 'application/json', vary: 'Accept' },
      })
      expect(JSON.parse(response.text)).toEqual({
        service: 'pet-store',
        api: 'v1',
        description: 'openapi.json',
        docs: 'docs',
        health: 'readyz',
      })
    },
  )

  it('the first page repeats nothing of the request', async ({ server }) => {
    const response = await get(server, '/?q=evil', {
      ...HTML,
      Host: 'evil.example',
      'X-Forwarded-Host': 'evil.example',
    })
    expect(response).toMatchObject({ status: 200, headers: { vary: 'Accept' } })
    expect(response.text).not.toContain('evil')
  })

  it('the first page is the pointer for browsers too where the app has no pages', async () => {
    const server = await startTestServer({ pages: undefined })
    expect((await get(server, '/')).headers['content-type']).toBe('application/json')
    expectError(await get(server, '/docs'), 'not_found')
  })
})

describe('what the pages load', () => {
  it.for([
    ['store.css', 'text/css; charset=utf-8'],
    ['icon.svg', 'image/svg+xml'],
  ] as const)('the file %s is %s, and 304 for its entity tag', async ([name, type], { server }) => {
    const path = `/docs/${name}`
    const response = await get(server, path)
    const caching = {
      'cache-control': 'public, no-cache',
      etag: expect.stringMatching(/^"[\w-]+"$/),
    }
    expect(response).toMatchObject({ status: 200, headers: { 'content-type': type, ...caching } })
    const again = await get(server, path, { 'If-None-Match': response.headers.etag ?? '' })
    expect(again).toMatchObject({ status: 304, text: '', headers: caching })
    expectError(await server.send({ method: 'POST', path }), 'method_not_allowed')
  })

  it.for(['/docs/', '/docs/store.css/', '/docs/store.html', '/docs/..%2fpackage.json'])(
    'no file of the pages is at %s',
    async (path, { server }) => {
      expectError(await get(server, path), 'not_found')
      expectError(await server.send({ method: 'POST', path }), 'not_found')
    },
  )
})

describe('the development key', () => {
  const developmentKey = 'pets_development'

  it.each(['localhost', 'LOCALHOST:3000', '127.0.0.1:3000', '127.1.2.3', '[::1]:80'])(
    'the development key is on the pages for the Host %s',
    async (Host) => {
      const server = await startTestServer({ developmentKey })
      for (const path of ['/', '/docs'])
        expect((await get(server, path, { ...HTML, Host })).text).toContain(developmentKey)
    },
  )

  // A foreign name whose owner lets it resolve to this machine (DNS rebinding) must not read the
  // key.
  it.each(['evil.example', 'localhost.evil.example', '127.0.0.1.evil.example'])(
    'the development key is not on the pages for the Host %s',
    async (Host) => {
      const server = await startTestServer({ developmentKey })
      for (const path of ['/', '/docs'])
        expect((await get(server, path, { ...HTML, Host })).text).toContain('"developmentKey":""')
    },
  )
})
