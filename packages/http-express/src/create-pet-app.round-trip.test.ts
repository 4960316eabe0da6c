import { INT64, PET_NAME, PET_STATUSES } from '@pet-store/domain'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { anyCharacter } from './testing/any-character.test-support.ts'
import { openTestServer, type TestServer } from './testing/start-test-server.test-support.ts'
import { writeCursor } from './wire/cursor.ts'

const int64 = fc.oneof(
  fc.bigInt({ min: INT64.min, max: INT64.max }),
  fc.constantFrom(INT64.min, INT64.max, 0n, -1n, 2n ** 53n, 2n ** 53n + 1n, -(2n ** 53n) - 1n),
)

const isValidName = (name: string) =>
  PET_NAME.notBlank.test(name) && !PET_NAME.unstorable.test(name)

const name = fc
  .oneof(
    fc.string({ unit: anyCharacter, minLength: 1, maxLength: 60 }),
    fc.string({ unit: 'grapheme', minLength: 1, maxLength: 60 }),
    fc.string({
      unit: fc.constantFrom('"', '\\', '/', '\n', '\u0001', '\u2028', '😀', 'e\u0301', 'x'),
      minLength: 1,
    }),
    fc.string({ unit: anyCharacter, minLength: 990, maxLength: 1000 }),
  )
  .filter(isValidName)

/**
 * How a string is written in JSON: as it is, or with some or all of its units escaped, in either
 * case of letters.
 */
const escapeStyle = fc.constantFrom<(text: string) => string>(
  (text) => JSON.stringify(text),
  (text) => `"${eachUnit(text, (code) => `\\u${code.toString(16).padStart(4, '0')}`)}"`,
  (text) =>
    `"${eachUnit(text, (code) => `\\u${code.toString(16).padStart(4, '0').toUpperCase()}`)}"`,
  (text) =>
    JSON.stringify(text)
      .replaceAll('/', '\\/')
      .replace(/[^\x20-\x7e]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`),
)

/** How an integer is written in JSON. */
const integerStyle = fc.constantFrom<(integer: bigint) => string>(
  (integer) => `${integer}`,
  (integer) => `${integer}.0`,
  (integer) => `${integer}e0`,
  (integer) => (integer === 0n ? '-0.0e99999' : `${integer}000E-3`),
)

function eachUnit(text: string, write: (code: number) => string): string {
  return Array.from({ length: text.length }, (_, index) => write(text.charCodeAt(index))).join('')
}

let server: TestServer
beforeAll(async () => {
  server = await openTestServer()
})
afterAll(() => server.close())

it('any valid pet in any JSON spelling comes back the same from create, list and get', async () => {
  let lastId = 0
  const status = fc.option(fc.constantFrom(...PET_STATUSES), { nil: undefined })
  const pet = fc.record({
    name,
    categoryId: int64,
    status,
    escape: escapeStyle,
    integer: integerStyle,
  })
  await fc.assert(
    fc.asyncProperty(pet, async ({ name, categoryId, status, escape: escaped, integer }) => {
      const statusSent = status === undefined ? '' : `,"status":${escaped(status)}`
      const created = await server.post(
        `{"categoryId":${integer(categoryId)},"name":${escaped(name)}${statusSent}}`,
      )
      expect(created.status, created.text).toBe(201)
      lastId += 1

      const expected =
        `{"id":${lastId},"name":${JSON.stringify(name)},` +
        `"categoryId":${categoryId}${statusOf(status)}}`
      expect(created.text).toBe(expected)
      expect((await server.send({ path: `/v1/pets/${lastId}` })).text).toBe(expected)
      const cursor = writeCursor(BigInt(lastId - 1), undefined)
      expect((await server.send({ path: `/v1/pets?cursor=${cursor}` })).text).toBe(`[${expected}]`)
    }),
  )
})

function statusOf(status: string | undefined): string {
  return status === undefined ? '' : `,"status":"${status}"`
}
