import { expect } from 'vitest'
import { expectError } from '../testing/expect-error.test-support.ts'
import { it, startTestServer } from '../testing/start-test-server.test-support.ts'

it('the health routes say that the process lives and is ready', async ({ server }) => {
  expect(await server.send({ path: '/livez' })).toMatchObject({
    status: 200,
    text: '{"status":"ok"}',
  })
  expect(await server.send({ path: '/readyz' })).toMatchObject({
    status: 200,
    text: '{"status":"ok","checks":{"database":"ok"}}',
  })
})

it('the health routes are 503 with Retry-After when not ready, and name each check', async () => {
  const server = await startTestServer({
    readiness: async () => ({ database: 'ok', migrations: 'are missing' }),
  })
  const response = await server.send({ path: '/readyz' })
  expect(expectError(response, 'service_unavailable')).toBe(
    'Not ready: database ok, migrations are missing.',
  )
  expect(response.headers['retry-after']).toMatch(/^\d+$/)
  expect(server.log.internalErrors).toEqual([])
  expect((await server.send({ path: '/livez' })).status).toBe(200)
})
