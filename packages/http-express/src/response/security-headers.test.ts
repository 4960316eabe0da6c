import { expect, it } from 'vitest'
import { startTestServer } from '../testing/start-test-server.test-support.ts'

it('Strict-Transport-Security is sent only if the public address has https', async () => {
  const header = async (publicUrl: string) => {
    const server = await startTestServer({ publicUrl })
    return (await server.send({})).headers['strict-transport-security']
  }
  expect(await header('https://pets.example')).toBe('max-age=31536000')
  expect(await header('http://pets.example')).toBeUndefined()
})
