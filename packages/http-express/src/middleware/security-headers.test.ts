import { describe, expect, it } from 'vitest'
import { startTestServer } from '../testing/start-test-server.test-support.ts'

describe('what browsers are told', () => {
  it.each([
    ['/v1/pets', {}, 200],
    ['/v1/pets', { key: null }, 401],
    ['/v1/pets?limit=0', {}, 400],
    ['/v1/pets', { method: 'OPTIONS' }, 204],
    ['/v1/pets', { method: 'PUT' }, 405],
    ['/nowhere', {}, 404],
    ['/readyz', {}, 200],
    ['/', {}, 200],
  ])('comes with the response to %s %j', async (path, sending, status) => {
    const server = await startTestServer()
    const response = await server.send({ path, ...sending })
    expect(response.status).toBe(status)
    expect(response.headers).toMatchObject({
      'content-security-policy': "default-src 'none';frame-ancestors 'none'",
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
    })
    expect(response.headers).not.toHaveProperty('x-powered-by')
    expect(response.headers).not.toHaveProperty('strict-transport-security')
  })

  it('includes to use https alone exactly where the public address has it', async () => {
    const header = async (publicUrl: string) => {
      const server = await startTestServer({ publicUrl })
      return (await server.send({})).headers['strict-transport-security']
    }
    expect(await header('https://pets.example')).toBe('max-age=31536000')
    expect(await header('http://pets.example')).toBeUndefined()
  })
})
