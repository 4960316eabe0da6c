import { expect } from 'vitest'
import { it } from '../testing/start-test-server.test-support.ts'

it('the log line of a request names method, route template, status and duration', async ({
  server,
}) => {
  await server.send({ path: '/v1/pets/5?x=secret' })
  await server.send({ method: 'HEAD' })
  await server.send({ path: '/v1/nowhere' })
  const common = {
    requestId: expect.any(String),
    durationMs: expect.any(Number),
    keyId: 'test-key',
    clientAddress: '127.0.0.1',
    isComplete: true,
  }
  expect(server.log.requests).toEqual([
    { ...common, method: 'GET', route: '/v1/pets/{petId}', status: 404, code: 'not_found' },
    { ...common, method: 'HEAD', route: '/v1/pets', status: 200 },
    { ...common, method: 'GET', status: 404, code: 'not_found' },
  ])
  expect(JSON.stringify(server.log)).not.toContain('secret')
})
