import { describe, expect, it } from 'vitest'
import { MAX } from '../testing/body-size.test-support.ts'
import { expectError } from '../testing/expect-error.test-support.ts'
import { startTestServer } from '../testing/start-test-server.test-support.ts'

const PET = '{"name":"Rex","categoryId":1}'

describe('the text of a body', () => {
  it.each([
    ['', 'the body is empty; it must be a JSON object'],
    [' \n', 'the body is not valid JSON'],
    ['{', 'the body is not valid JSON'],
    ['{}{}', 'the body is not valid JSON'],
    ['\ufeff{"name":"Rex","categoryId":1}', 'the body must not begin with a byte order mark'],
    ['\ufeff', 'the body must not begin with a byte order mark'],
    [Buffer.from(PET, 'utf16le'), 'the body is not valid JSON'],
    [Buffer.from('{"name":"Zo\xeb","categoryId":1}', 'latin1'), 'the body is not valid UTF-8'],
    [Buffer.from('{"name":"\xc0\xaf","categoryId":1}', 'latin1'), 'the body is not valid UTF-8'],
    [Buffer.from('{"name":"\xed\xa0\x80","categoryId":1}', 'latin1'), 'the body is not valid UTF-8'],
    [Buffer.from('{"name":"\xf4\x90\x80\x80","categoryId":1}', 'latin1'), 'the body is not valid UTF-8'],
    [Buffer.from(`${PET}\xe2\x82`, 'latin1'), 'the body is not valid UTF-8'],
    [Buffer.from('fffe7b007d00', 'hex'), 'the body is not valid UTF-8'],
  ])('is rejected: %j', async (body, message) => {
    const server = await startTestServer()
    expect(expectError(await server.post(body), 'invalid_request')).toBe(message)
  })

  it('may have white space around it', async () => {
    const server = await startTestServer()
    expect((await server.post(` \t\r\n${PET}\n `)).status).toBe(201)
  })

  it.each([
    ['[', ']'],
    ['{"a":', '}'],
  ])('may be nested 14,000 levels deep in %s, however its numbers are written', async (open, close) => {
    const server = await startTestServer()
    for (const number of ['7', '7.0', '9007199254740993']) {
      for (const categoryId of ['1', '1.0', '10e-1']) {
        const nested = `${open.repeat(14_000)}${number}${close.repeat(14_000)}`
        const response = await server.post(`{"deep":${nested},"name":"Rex","categoryId":${categoryId}}`)
        expect(response.status).toBe(201)
        expect(JSON.parse(response.text)).toMatchObject({ name: 'Rex', categoryId: 1 })
      }
    }
  })

  it.each(['', '9007199254740993'])('nested 50,000 levels deep, around %j, gets a response', async (number) => {
    const server = await startTestServer()
    for (const body of [
      `${'['.repeat(50_000)}${number}${']'.repeat(50_000)}`,
      '['.repeat(MAX),
      '{"":'.repeat(25_000),
    ]) {
      expectError(await server.post(body), 'invalid_request')
    }
    expect((await server.post(PET)).status).toBe(201)
  })
})
