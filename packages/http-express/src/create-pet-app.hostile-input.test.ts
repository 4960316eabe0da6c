import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { anyCharacter } from './testing/any-character.test-support.ts'
import { expectErrorBody, expectNoInternalError } from './testing/expect-error.test-support.ts'
import { openTestServer, type TestServer } from './testing/start-test-server.test-support.ts'

/** Pieces of JSON, and of text that is not JSON. */
const JSON_TOKENS = [
  ...'{}[]:,"\'\\ \n\0\f\u00a0\ufeff',
  ...[
    '"a"',
    '""',
    '"\\u0061"',
    '"\\ud83d"',
    '"\\u0000"',
    '"\\x41"',
    '"__proto__"',
    '"toJSON"',
    '"0"',
    '"length"',
  ],
  ...[
    '0',
    '-',
    '+',
    '.',
    '1',
    '1.0',
    '00',
    '1e',
    '1E400',
    '4.9e-324',
    '9007199254740992.5',
    '9223372036854775807e000',
  ],
  ...['true', 'True', 'null', 'nul', 'NaN', '-Infinity', '0x1F', '1n', '\uff11', '/**/'],
]

/** A text as part of a URI. UTF-8 cannot encode lone surrogates, so they are replaced. */
function encoded(text: string): string {
  return encodeURIComponent(text.replace(/\p{Surrogate}/gu, '\ufffd'))
}

let server: TestServer
beforeAll(async () => {
  server = await openTestServer()
})
afterAll(async () => {
  await server.close()
  expect(server.log.internalErrors).toEqual([])
})

it('hostile input as a body or as fields of a NewPet is never an internal error', async () => {
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
  const bodies = fc.oneof(
    fc.json({ stringUnit: anyCharacter, maxDepth: 4 }),
    fields.map((body) => JSON.stringify(body)),
  )
  await fc.assert(
    fc.asyncProperty(
      bodies,
      fc.constantFrom('handling=strict', 'handling=lenient'),
      async (body, prefer) => {
        expectNoInternalError(await server.post(body, { headers: { Prefer: prefer } }))
      },
    ),
  )
})

it('hostile input as a body of any bytes is an error response', async () => {
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
  )
})

it('hostile input as any query is never an internal error', async () => {
  const text = fc.string({ unit: anyCharacter }).map((any) => encoded(any))
  const loose = fc.string({ unit: fc.constantFrom(...'&=%?+/:;,[]{}|"\'<>~@!$^`-_.0aZ') })
  const parameter = fc.tuple(
    fc.constantFrom('limit', 'status', 'cursor', '__proto__', ''),
    fc.oneof(text, loose),
  )
  const query = fc.oneof(
    text,
    loose,
    fc.array(parameter).map((all) => all.map(([name, value]) => `${name}=${value}`).join('&')),
  )
  await fc.assert(
    fc.asyncProperty(query, fc.constantFrom('/v1/pets', '/v1/pets/1'), async (any, path) => {
      expectNoInternalError(await server.send({ path: `${path}?${any}` }))
      expectNoInternalError(
        await server.send({ path: `${path}?${any}`, headers: { Prefer: 'handling=strict' } }),
      )
    }),
  )
})

it('hostile input as any header is never an internal error', async () => {
  const names = fc.constantFrom(
    'Accept',
    'Authorization',
    'Content-Encoding',
    'Content-Type',
    'Idempotency-Key',
    'Prefer',
  )
  const words = [
    'Bearer ',
    'handling',
    'strict',
    'application/json',
    'charset=',
    'utf-8',
    'gzip',
    'text/html',
    'q=',
  ]
  const rest = fc.string({ unit: fc.constantFrom(...words, ...' !"#%(),*/;=?\\_~\t\xe9') })
  const text = fc.tuple(fc.constantFrom('', ...words), rest).map((parts) => parts.join(''))
  await fc.assert(
    fc.asyncProperty(names, text, async (name, any) => {
      expectNoInternalError(
        await server.post('{"name":"Rex","categoryId":1}', { headers: { [name]: any } }),
      )
    }),
  )
})

it('hostile input as any path is never an internal error', async () => {
  const path = fc.string({ unit: fc.constantFrom(...'/%?&=.;:@\\*+-_~!$[]{}|^`"<>v1petszF20') })
  await fc.assert(
    fc.asyncProperty(
      path,
      fc.constantFrom('/', '/v1/', '/v1/pets/', 'http://x/v1/pets/'),
      async (any, start) => {
        expectNoInternalError(await server.send({ path: start + any }))
      },
    ),
  )
})

it('hostile input as a text that is almost JSON is never an internal error', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.constantFrom(...JSON_TOKENS), { maxLength: 12 }),
      async (tokens) => {
        const edge = tokens.join('')
        expectNoInternalError(await server.post(edge))
        expectNoInternalError(await server.post(`{"name":"Rex","categoryId":1,"more":${edge}}`))
        expectNoInternalError(await server.post(`{"name":"Rex","categoryId":${edge}}`))
      },
    ),
  )
})
