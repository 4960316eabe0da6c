import { describe, expect, it } from 'vitest'
import { startTestServer } from '../testing/start-test-server.test-support.ts'

const PUBLIC = 'https://pets.example/shop'
const PET = '{"name":"Rex","categoryId":1}'

describe('where a public address is configured', () => {
  it('references are absolute', async () => {
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

  it('the first page shows it, and nothing that the request says', async () => {
    const server = await startTestServer({ publicUrl: PUBLIC })
    const page = await server.send({ path: '/', headers: { Accept: 'text/html', Host: 'evil.example' }, key: null })
    expect(page.text).toContain(`${PUBLIC}/v1/pets`)
  })
})
