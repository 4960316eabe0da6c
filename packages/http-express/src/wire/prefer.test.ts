import { expect } from 'vitest'
import { expectError } from '../testing/expect-error.test-support.ts'
import { it } from '../testing/start-test-server.test-support.ts'

const PET = '{"name":"Rex","categoryId":1}'

it.for([
  'handling=strict',
  'Handling=Strict',
  'handling="strict"',
  'handling = strict',
  'handling=strict; foo="bar"',
  'respond-async, wait=10, handling=strict',
  'foo="a, b; c", handling=strict',
  'foo="a \\" handling=lenient, ", handling=strict',
  ',, handling=strict ,',
  'handling=strict, handling=lenient',
])('Prefer: handling=strict is recognised in %s', async (prefer, { server }) => {
  const response = await server.send({ path: '/v1/pets?x=1', headers: { Prefer: prefer } })
  expect(expectError(response, 'invalid_request')).toBe('unknown with handling=strict: "x"')
  expect(response.headers['preference-applied']).toBe('handling=strict')
})

it.for(['__proto__', 'constructor', 'toString', 'a b'])(
  'Prefer: handling=strict rejects a parameter that is called %s',
  async (name, { server }) => {
    const path = `/v1/pets?${name.replace(' ', '+')}=1`
    const response = await server.send({ path, headers: { Prefer: 'handling=strict' } })
    expect(expectError(response, 'invalid_request')).toBe(
      `unknown with handling=strict: ${JSON.stringify(name)}`,
    )
  },
)

it('Prefer: handling=strict is recognised in a second Prefer header', async ({ server }) => {
  const response = await server.send({
    path: '/v1/pets?x=1',
    headers: { Prefer: ['wait=1', 'handling=strict'] },
  })
  expectError(response, 'invalid_request')
})

it.for([
  '',
  'handling=lenient',
  'handling=lenient, handling=strict',
  'handling=stricter',
  'foo=handling=strict',
  'foo; handling=strict',
  'foo="x, handling=strict, y"',
  'foo="x, handling=strict',
  '"'.repeat(5000),
  '"\\"'.repeat(4000),
])('Prefer: handling=strict is not recognised in %j', async (prefer, { server }) => {
  const response = await server.send({ path: '/v1/pets?x=1', headers: { Prefer: prefer } })
  expect(response.status).toBe(200)
  expect(response.headers).not.toHaveProperty('preference-applied')
})

it('Prefer: handling=strict rejects unknown fields and an id in a body, and names them', async ({
  server,
}) => {
  const body = '{"name":"Rex","categoryId":1,"id":5,"price":9007199254740993,"__proto__":1,"é":2}'
  const response = await server.post(body, { headers: { Prefer: 'handling=strict' } })
  expect(expectError(response, 'invalid_request')).toBe(
    'unknown with handling=strict: "id", "price", "__proto__", a name that is not repeated here',
  )
  expect((await server.send({})).text).toBe('[]')
})

it('Prefer: handling=strict keeps the message short when a thousand names are unknown', async ({
  server,
}) => {
  const fields = Object.fromEntries(
    Array.from({ length: 1000 }, (_, index) => [`field${index}`, 1]),
  )
  const response = await server.post(JSON.stringify(fields), {
    headers: { Prefer: 'handling=strict' },
  })
  const message = expectError(response, 'invalid_request')
  expect(message).toContain('and 995 more')
  expect(message.length).toBeLessThan(400)
})

it('Prefer: handling=strict rejects unknown parameters of every operation', async ({ server }) => {
  await server.post(PET)
  const headers = { Prefer: 'handling=strict' }
  for (const path of ['/v1/pets?limit=1&Limit=1', '/v1/pets/1?limit=1', '/v1/pets?=']) {
    expectError(await server.send({ path, headers }), 'invalid_request')
  }
  expectError(await server.post(PET, { path: '/v1/pets?limit=1', headers }), 'invalid_request')
})

it('Preference-Applied is on successes and errors with handling=strict alike', async ({
  server,
}) => {
  const headers = { Prefer: 'handling=strict' }
  const responses = [
    await server.post(PET, { headers }),
    await server.send({ path: '/v1/pets?limit=1', headers }),
    await server.send({ path: '/v1/pets/1', headers }),
    await server.send({ path: '/v1/pets/9', headers }),
    await server.post('{', { headers }),
  ]
  expect(responses.map(({ status }) => status)).toEqual([201, 200, 200, 404, 400])
  for (const { headers: sent } of responses)
    expect(sent['preference-applied']).toBe('handling=strict')
})
