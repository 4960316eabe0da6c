import { execFileSync } from 'node:child_process'
import { expect } from 'vitest'
import { it } from '../testing/start-test-server.test-support.ts'
import { openApiJson } from './description-route.ts'

it('GET /openapi.json needs no key', async ({ server }) => {
  const response = await server.send({ path: '/openapi.json', key: null })
  expect(response).toMatchObject({ status: 200, text: await openApiJson() })
  expect(response.headers['content-type']).toBe('application/json')
  expect(response.headers['cache-control']).toBe('public, no-cache')
})

it('GET /openapi.json is 304 for its entity tag, alone or weak in a list', async ({ server }) => {
  const path = '/openapi.json'
  const { etag = '' } = (await server.send({ path })).headers
  expect(etag).toMatch(/^"[\w-]+"$/)
  for (const sent of [etag, `"other", W/${etag}`]) {
    const response = await server.send({ path, headers: { 'If-None-Match': sent } })
    expect(response).toMatchObject({
      status: 304,
      text: '',
      headers: { etag, 'cache-control': 'public, no-cache' },
    })
    expect(response.headers).not.toHaveProperty('content-type')
  }
  expect((await server.send({ path, headers: { 'If-None-Match': '"other"' } })).status).toBe(200)
})

it('GET and HEAD of /.well-known/api-catalog lead to addresses that exist (RFC 9727)', async ({
  server,
}) => {
  const path = '/.well-known/api-catalog'
  const response = await server.send({ path, key: null })
  expect(response.status).toBe(200)
  expect(response.headers['content-type']).toContain('application/linkset+json')
  const [{ anchor, ...relations }] = JSON.parse(response.text).linkset
  expect(new URL(anchor, `http://x${path}`).pathname).toBe('/v1')
  const links = Object.values<{ href: string }[]>(relations).flat()
  expect(links).toHaveLength(3)
  for (const { href } of links) {
    expect(
      (await server.send({ path: new URL(href, `http://x${path}`).pathname, key: null })).status,
    ).toBe(200)
  }
  const head = await server.send({ method: 'HEAD', path, key: null })
  expect(head.headers['link']).toBe('<api-catalog>; rel="api-catalog"')
})

it('the description is made if making it has failed before', async () => {
  const script = `
    import { registerHooks } from 'node:module'
    const { openApiJson } = await import('${new URL('./description-route.ts', import.meta.url)}')
    const hooks = registerHooks({
      load(url, context, next) {
        if (url.includes('/describe-operations')) throw new Error('too many open files')
        return next(url, context)
      },
    })
    const failure = await openApiJson().catch(({ message }) => message)
    hooks.deregister()
    console.log(failure, (await openApiJson()).length)
  `
  const args = ['--conditions=@pet-store/source', '--input-type=module', '--eval', script]
  const printed = execFileSync(process.execPath, args, { encoding: 'utf8' })
  expect(printed).toBe(`too many open files ${(await openApiJson()).length}\n`)
})
