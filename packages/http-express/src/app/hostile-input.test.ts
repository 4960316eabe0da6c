import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { expectErrorBody, expectNoInternalError } from '../testing/expect-error.test-support.ts'
import { openTestServer, type TestServer } from '../testing/start-test-server.test-support.ts'

/** Pieces of JSON, and of what is none. */
const JSON_TOKENS = [
  ...'{}[]:,"\'\\ \n\0\f\u00a0\ufeff',
  ...['"a"', '""', '"\\u0061"', '"\\ud83d"', '"\\u0000"', '"\\x41"', '"__proto__"', '"toJSON"', '"0"', '"length"'],
  ...['0', '-', '+', '.', '1', '1.0', '00', '1e', '1E400', '4.9e-324', '9007199254740992.5', '9223372036854775807e000'],
  ...['true', 'True', 'null', 'nul', 'NaN', '-Infinity', '0x1F', '1n', '\uff11', '/**/'],
]

/** Strings that programs stumble over, where a name, a number or an identifier is expected. */
const NAUGHTY_STRINGS = [
  // Nothing, what looks like it, and names of things in JavaScript
  ...['', ' ', '\u200b', '\ufeff', 'null', 'undefined', '__proto__', 'constructor', '__defineGetter__', 'then'],
  // Letters
  ...[
    'Ünïcödé',
    'İıſK',
    '猫は可愛い',
    '\u202egnp.tac',
    'Z\u0351\u0352\u0353a\u0354\u0355',
    '👩‍👩‍👧‍👦',
    '\u{10ffff}',
    '\ud800',
    'a\udfffb',
  ],
  // Control characters
  ...['\u0000', 'cat\u0000dog', '\u0001\u0002\u001b[31m', '\u007f\u0080\u009f', '\r\nSet-Cookie: a=b', '\u2028\u2029'],
  // Other languages
  ...[
    "'; DELETE FROM pet; --",
    '" OR ""="',
    '$1 ? :name %s %n {0}',
    '\x24{7*7} {{7*7}} <%= 7*7 %>',
    '<script>alert(1)</script>',
  ],
  ...['../../../../etc/passwd', 'C:\\AUX', '`id` $(id) | id ; id & id', '\x24{jndi:ldap://localhost/x}', '(a+)+$'],
  // Numbers and lengths
  ...[
    '-0',
    '1e309',
    '9223372036854775808',
    '0x7fffffffffffffff',
    '٣',
    'a'.repeat(1_001),
    '😀'.repeat(1_000),
    '\\'.repeat(500),
  ],
]

/** As a part of a URI. Lone surrogates have no UTF-8 and so no place there. */
function encoded(text: string): string {
  return encodeURIComponent(text.replace(/\p{Surrogate}/gu, '\ufffd'))
}

describe('hostile input', () => {
  let server: TestServer
  beforeAll(async () => {
    server = await openTestServer()
  })
  afterAll(async () => {
    await server.close()
    expect(server.log.internalErrors).toEqual([])
  })

  it('as a body of any JSON value is never an internal error', async () => {
    await fc.assert(
      fc.asyncProperty(fc.json({ stringUnit: 'binary', maxDepth: 4 }), async (body) =>
        expectNoInternalError(await server.post(body)),
      ),
      { numRuns: 150 },
    )
  })

  it('that is an address makes the service request nothing', async () => {
    let connections = 0
    const other = createServer((socket) => {
      connections += 1
      socket.destroy()
    }).listen(0, '127.0.0.1')
    onTestFinished(() => {
      other.close()
    })
    await once(other, 'listening')
    const url = `http://127.0.0.1:${(other.address() as AddressInfo).port}/`
    const names = [
      'Host',
      'Forwarded',
      'X-Forwarded-For',
      'X-Forwarded-Host',
      'Referer',
      'Origin',
      'Link',
      'X-Callback',
    ]
    const headers = Object.fromEntries(names.map((name) => [name, name === 'Host' ? new URL(url).host : url]))
    const pet = { name: url, categoryId: 1, photoUrl: url, callback: url, $ref: url }
    expect((await server.post(JSON.stringify(pet), { headers })).status).toBe(201)
    for (const path of [
      url,
      `/v1/pets?cursor=${encoded(url)}`,
      `/v1/pets?url=${encoded(url)}`,
      `/v1/pets/${encoded(url)}`,
    ]) {
      expectNoInternalError(await server.send({ path, headers }))
    }
    expect(connections).toBe(0)
  })

  it('as fields of a NewPet with any JSON value is never an internal error, strict or not', async () => {
    const fields = fc.record(
      {
        name: fc.jsonValue(),
        categoryId: fc.jsonValue(),
        status: fc.jsonValue(),
        id: fc.jsonValue(),
        constructor: fc.jsonValue(),
      },
      { requiredKeys: [] },
    )
    await fc.assert(
      fc.asyncProperty(fields, fc.constantFrom('handling=strict', 'handling=lenient'), async (body, prefer) => {
        expectNoInternalError(await server.post(JSON.stringify(body), { headers: { Prefer: prefer } }))
      }),
      { numRuns: 300 },
    )
  })

  it('as a body of any bytes is an error response', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.uint8Array({ maxLength: 200 }),
        fc.constantFrom('', 'gzip', 'deflate', 'br'),
        async (bytes, encoding) => {
          const response = await server.post(bytes, { headers: { 'Content-Encoding': encoding } })
          expectErrorBody(response)
          expect(response.status).toBe(400)
        },
      ),
      { numRuns: 300 },
    )
  })

  it('as any query is never an internal error', async () => {
    const text = fc.string({ unit: 'binary' }).map((any) => encoded(any))
    const loose = fc.string({ unit: fc.constantFrom(...'&=%?+/:;,[]{}|"\'<>~@!$^`-_.0aZ') })
    const parameter = fc.tuple(fc.constantFrom('limit', 'status', 'cursor', '__proto__', ''), fc.oneof(text, loose))
    const query = fc.oneof(
      text,
      loose,
      fc.array(parameter).map((all) => all.map(([name, value]) => `${name}=${value}`).join('&')),
    )
    await fc.assert(
      fc.asyncProperty(query, fc.constantFrom('/v1/pets', '/v1/pets/1'), async (any, path) => {
        expectNoInternalError(await server.send({ path: `${path}?${any}` }))
        expectNoInternalError(await server.send({ path: `${path}?${any}`, headers: { Prefer: 'handling=strict' } }))
      }),
      { numRuns: 300 },
    )
  })

  it('as any path is never an internal error', async () => {
    const path = fc.string({ unit: fc.constantFrom(...'/%?&=.;:@\\*+-_~!$[]{}|^`"<>v1petszF20') })
    await fc.assert(
      fc.asyncProperty(path, fc.constantFrom('/', '/v1/', '/v1/pets/', 'http://x/v1/pets/'), async (any, start) => {
        expectNoInternalError(await server.send({ path: start + any }))
      }),
      { numRuns: 500 },
    )
  })

  it('as a text that is almost JSON is never an internal error', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.constantFrom(...JSON_TOKENS), { maxLength: 12 }), async (tokens) => {
        const edge = tokens.join('')
        expectNoInternalError(await server.post(edge))
        expectNoInternalError(await server.post(`{"name":"Rex","categoryId":1,"more":${edge}}`))
        expectNoInternalError(await server.post(`{"name":"Rex","categoryId":${edge}}`))
      }),
      { numRuns: 200 },
    )
  })

  it.each(NAUGHTY_STRINGS)('as the string %j is never an internal error, anywhere', async (naughty) => {
    const created = await server.post(JSON.stringify({ name: naughty, categoryId: 1 }))
    expectNoInternalError(created)
    if (created.status === 201) expect(JSON.parse(created.text).name).toBe(naughty)
    expectNoInternalError(
      await server.post(JSON.stringify({ name: 'Rex', categoryId: naughty, status: naughty, [naughty]: naughty })),
    )
    const uriText = encoded(naughty)
    for (const path of [
      `/v1/pets/${uriText}`,
      `/v1/${uriText}`,
      `/${uriText}`,
      `/v1/pets?status=${uriText}&limit=${uriText}&cursor=${uriText}&${uriText}`,
    ]) {
      expectNoInternalError(await server.send({ path }))
    }
    const header = uriText.slice(0, 2_000)
    expectNoInternalError(
      await server.send({ headers: { 'X-Request-Id': header, Prefer: header, 'Content-Type': header } }),
    )
    expectNoInternalError(await server.send({ key: header }))
  })
})
