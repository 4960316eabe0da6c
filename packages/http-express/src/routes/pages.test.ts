import { describe, expect } from 'vitest'
import { ERROR_STATUS } from '../response/http-error.ts'
import { expectError, type TestResponse } from '../testing/expect-error.test-support.ts'
import { it, startTestServer, type TestServer } from '../testing/start-test-server.test-support.ts'

const HTML = { Accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' }
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
const PAGES = ['/', '/docs']

const get = (server: TestServer, path: string, headers: Record<string, string> = HTML) =>
  server.send({ path, headers, key: null })

/** Everything that a page refers to, as it is written there. */
function references({ text }: TestResponse): string[] {
  return [...text.matchAll(/(?:href|src)="([^"]*)"/g)].map(([, reference = '']) => reference)
}

it('the first page has an input for every field of a new pet, and a column for every field of a pet', async ({
  server,
}) => {
  const { NewPet, Pet } = JSON.parse((await get(server, '/openapi.json')).text).components.schemas
  const page = (await get(server, '/')).text
  const found = (pattern: RegExp) => [...page.matchAll(pattern)].map(([, name]) => name)
  expect(found(/<(?:input|select)[^>]* name="(\w+)"/g)).toEqual(
    expect.arrayContaining(Object.keys(NewPet.properties)),
  )
  expect(found(/<th [^>]*data-field="(\w+)"/g)).toEqual(
    expect.arrayContaining(Object.keys(Pet.properties)),
  )
})

describe.each(PAGES)('the page %s', (path) => {
  it('is HTML under a policy without anything inline, and contains nothing that the policy would reject', async () => {
    const response = await get(await startTestServer(), path)
    expect(response.status).toBe(200)
    expect(response.headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': POLICY,
      'cache-control': 'no-store',
    })
    expect(response.text).not.toMatch(
      /<style|\sstyle=|\son\w+=|javascript:|<script(?![^>]*\ssrc=)|\{\{/,
    )
  })

  it('refers only to addresses that exist, even behind a prefix', async ({ server }) => {
    const found = references(await get(server, path))
    expect(found.length).toBeGreaterThan(2)
    for (const reference of found) {
      const url = new URL(reference, `https://host/shop${path}`)
      expect(url.href).toMatch(/^https:\/\/host\/shop\//)
      expect((await get(server, url.pathname.replace('/shop', ''))).status, reference).toBe(200)
    }
  })
})

describe('the first page', () => {
  it.for([
    undefined,
    '*/*',
    'application/json',
    'application/json, text/html',
    'text/html;q=0.5, */*',
    'image/png',
  ])('is a pointer to the description for who accepts %s', async (accept, { server }) => {
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
  })

  it('repeats nothing of the request', async ({ server }) => {
    const response = await get(server, '/?q=evil', {
      ...HTML,
      Host: 'evil.example',
      'X-Forwarded-Host': 'evil.example',
    })
    expect(response).toMatchObject({ status: 200, headers: { vary: 'Accept' } })
    expect(response.text).not.toContain('evil')
  })
})

describe('the reference page', () => {
  it('has every operation, parameter, field and error code of the description', async ({
    server,
  }) => {
    const { text } = await get(server, '/docs')
    const description = JSON.parse((await get(server, '/openapi.json')).text) as Description
    const operations = Object.values(description.paths).flatMap((methods) => Object.values(methods))
    const { NewPet, Pet } = description.components.schemas
    const names = [
      ...operations.flatMap(({ operationId, parameters }) => [
        operationId,
        ...parameters.map(({ name }) => name),
      ]),
      ...Object.keys({ ...NewPet?.properties, ...Pet?.properties }),
      ...Object.keys(ERROR_STATUS),
    ]
    expect(names.length).toBeGreaterThan(25)
    for (const name of names) expect(text).toMatch(new RegExp(`id="${name}"|<code>${name}</code>`))
    for (const { summary } of operations) expect(text).toContain(`>${summary}`)
  })
})

interface Description {
  readonly paths: Readonly<
    Record<
      string,
      Record<
        string,
        { operationId: string; summary: string; parameters: readonly { readonly name: string }[] }
      >
    >
  >
  readonly components: {
    readonly schemas: Readonly<Record<string, { readonly properties?: object }>>
  }
}

describe('what the pages load', () => {
  it.for([
    ['design.css', 'text/css; charset=utf-8'],
    ['reference.js', 'text/javascript; charset=utf-8'],
    ['icon.svg', 'image/svg+xml'],
  ] as const)('%s is %s, and 304 to whoever has it already', async ([name, type], { server }) => {
    const path = `/docs/${name}`
    const response = await get(server, path)
    const caching = {
      'cache-control': 'public, no-cache',
      etag: expect.stringMatching(/^"[\w-]+"$/),
    }
    expect(response).toMatchObject({ status: 200, headers: { 'content-type': type, ...caching } })
    expect(response.text.length).toBeGreaterThan(200)
    expect(response.text).not.toContain('sourceMappingURL')
    const again = await get(server, path, { 'If-None-Match': response.headers.etag ?? '' })
    expect(again).toMatchObject({ status: 304, text: '', headers: caching })
    expectError(await server.send({ method: 'POST', path }), 'method_not_allowed')
  })

  it.for([
    '/docs/',
    '/docs/design.css/',
    '/docs/reference.html',
    '/docs/..%2fpackage.json',
    '/docs/built/client.js',
  ])('is not at %s', async (path, { server }) => {
    expectError(await get(server, path), 'not_found')
    expectError(await server.send({ method: 'POST', path }), 'not_found')
  })
})

describe('the development key', () => {
  const developmentKey = 'pets_"<development>&'
  const asWritten = 'data-development-key="pets_&#34;&#60;development&#62;&#38;"'

  it.each(['localhost', 'LOCALHOST:3000', '127.0.0.1:3000', '127.1.2.3', '[::1]:80'])(
    'is on the reference page for who calls the machine %s',
    async (Host) => {
      const server = await startTestServer({ developmentKey })
      expect((await get(server, '/docs', { Host })).text).toContain(asWritten)
    },
  )

  // A foreign name that a page of its owner has bent to this machine (DNS rebinding) must not read
  // the key.
  it.each(['evil.example', 'localhost.evil.example', '127.0.0.1.evil.example'])(
    'is not there for who calls it %s',
    async (Host) => {
      const server = await startTestServer({ developmentKey })
      expect((await get(server, '/docs', { Host })).text).toContain('data-development-key=""')
    },
  )

  it('is not there unless the app was given one', async ({ server }) => {
    expect((await get(server, '/docs', { Host: 'localhost' })).text).toContain(
      'data-development-key=""',
    )
  })
})
