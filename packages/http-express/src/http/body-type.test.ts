import { describe, expect, it } from 'vitest'
import { expectError } from '../testing/expect-error.test-support.ts'
import { startTestServer } from '../testing/start-test-server.test-support.ts'

const PET = '{"name":"Rex","categoryId":1}'

describe('the content type of a body', () => {
  it.each([
    'application/json',
    'Application/JSON',
    'application/json;charset=utf-8',
    'application/json; charset=UTF-8',
    'application/json ; CHARSET="Utf-8"',
    'application/json; charset=utf8',
    'application/json;',
    'application/json; foo=bar',
    'application/json; foo=bar; charset=utf-8',
    'application/json; x="; charset=latin1"',
    'application/json; x="\\"; charset=latin1"; charset=utf-8',
  ])('may be %s', async (type) => {
    const server = await startTestServer()
    expect((await server.post(PET, { headers: { 'Content-Type': type } })).status).toBe(201)
  })

  it.each([
    '',
    'text/plain',
    'text/json',
    'application/jsonp',
    'application/json5',
    'application/problem+json',
    'application/vnd.api+json',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'json',
    '*/*',
    'application/json, text/plain',
    'text/plain; application/json',
    'application/json charset=utf-8',
    'application/json; charset=latin1',
    'application/json; charset=utf-16',
    'application/json; charset=',
    'application/json; charset="utf-8',
    "application/json; charset='utf-8'",
    'application/json; foo=bar; charset=us-ascii',
    'application/json; x="; charset=utf-8"; charset=latin1',
  ])('must not be %j', async (type) => {
    const server = await startTestServer()
    expectError(await server.post(PET, { headers: { 'Content-Type': type } }), 'unsupported_media_type')
  })

  it.each(['application/json; charset=utf-8; charset=utf-8', 'application/json;charset=utf-8;Charset=latin1'])(
    'must have one charset: %j',
    async (type) => {
      const server = await startTestServer()
      expectError(await server.post(PET, { headers: { 'Content-Type': type } }), 'invalid_request')
    },
  )

  it('is required even without a body', async () => {
    const server = await startTestServer()
    expectError(await server.send({ method: 'POST', body: PET }), 'unsupported_media_type')
    expectError(await server.send({ method: 'POST' }), 'unsupported_media_type')
  })
})
