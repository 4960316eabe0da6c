import fc from 'fast-check'
import { expect, it } from 'vitest'
import { allocatedBytes } from '../testing/allocated-bytes.test-support.ts'
import { anyCharacter } from '../testing/any-character.test-support.ts'
import { InexactNumber, parseExactFields } from './exact-json.ts'

const MAX = '9223372036854775807'
const MIN = '-9223372036854775808'

/** The digits of a JSON number that is an int64; the text that was kept of any other. */
function kept(source: string): string {
  const value = parseExactFields(source)
  return value instanceof InexactNumber
    ? `inexact ${value.source}`
    : BigInt(value as number | bigint).toString()
}

it.each([
  ['0', '0'],
  ['-0', '0'],
  ['-0.0', '0'],
  ['0e999999999', '0'],
  ['-0.000e-999999999', '0'],
  ['0e99999999999999999999999999', '0'],
  ['10e-1', '1'],
  ['1e-0', '1'],
  ['1.50e01', '15'],
  ['0.0010e003', '1'],
  ['9007199254.740993e6', '9007199254740993'],
  ['92233720368547758070e-1', MAX],
  ['9.223372036854775807e18', MAX],
  ['0.0000000009223372036854775807e28', MAX],
  ['-9.223372036854775808e+18', MIN],
  [`1${'0'.repeat(50_000)}e-50000`, '1'],
  [`0.${'0'.repeat(49_999)}1e50000`, '1'],
])('the JSON number %s is the integer %s', (source, integer) => {
  expect(kept(source)).toBe(integer)
})

it.each([
  '1.5',
  '-1e-999999999',
  '1e19',
  '1e999999999',
  '1e99999999999999999999999999',
  '100000000000000.0000001',
  '9223372036854775807.5',
  '922337203685477580.8e1',
  '-922337203685477580.9e1',
  `0.${'0'.repeat(50_000)}1e50000`,
])('the JSON number %s, which is no int64, is kept as it was written', (source) => {
  expect(kept(source)).toBe(`inexact ${source}`)
})

it('a JSON number within int64 comes back exact in every notation', () => {
  const int64 = fc.bigInt({ min: BigInt(MIN), max: BigInt(MAX) })
  fc.assert(
    fc.property(int64, fc.nat(40), fc.nat(5), (integer, point, someZeros) => {
      const zeros = integer === 0n ? 0 : someZeros
      const sign = integer < 0n ? '-' : ''
      const digits = integer.toString().replace('-', '') + '0'.repeat(zeros)
      const cut = Math.max(1, digits.length - point)
      const fraction = digits.slice(cut)
      const mantissa = `${sign}${digits.slice(0, cut)}${fraction && `.${fraction}`}`
      const written = `${mantissa}e${fraction.length - zeros}`
      expect(kept(written)).toBe(integer.toString())
      expect(kept(integer.toString())).toBe(integer.toString())
    }),
  )
})

it('a JSON number beyond int64 by any distance is no integer', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: 1n, max: 10n ** 30n }), (distance) => {
      for (const integer of [BigInt(MAX) + distance, BigInt(MIN) - distance]) {
        expect(kept(`${integer}`)).toBe(`inexact ${integer}`)
        expect(kept(`${integer}.0`)).toBe(`inexact ${integer}.0`)
      }
    }),
  )
})

it.each<[string, (length: number) => string]>([
  ['nines', (length) => '9'.repeat(length)],
  ['zeros inside', (length) => `1${'0'.repeat(length)}1`],
  ['a long fraction', (length) => `0.${'1'.repeat(length)}`],
  ['zeros at the end of a fraction', (length) => `1.${'0'.repeat(length)}`],
  ['zeros inside a fraction', (length) => `1.${'0'.repeat(length)}1`],
  ['a long exponent', (length) => `1e${'9'.repeat(length)}`],
  ['zeros in an exponent', (length) => `1e${'0'.repeat(length)}1`],
  ['a list of numbers', (length) => `[${'1.0,'.repeat(length / 4)}1]`],
  ['one name for many numbers', (length) => `0,${'"b":1.0,'.repeat(length / 8)}"c":1`],
  [
    'many names',
    (length) => `0,${Array.from({ length: length / 12 }, (_, index) => `"${index}":1.0`).join()}`,
  ],
  ['digits in a string', (length) => `"${'1234567890123456.e'.repeat(length / 18)}"`],
  ['escapes in a string', (length) => `1.0,"b":"${'\\n'.repeat(length / 2)}"`],
  ['nesting', (length) => `${'['.repeat(length / 2)}1.0${']'.repeat(length / 2)}`],
])('a JSON number takes memory in proportion to its length: %s', async (_name, value) => {
  const bytes = (length: number) => allocatedBytes(() => parseExactFields(`{"a":${value(length)}}`))
  // Quadratic would be sixteen times as much.
  expect(await bytes(96_000)).toBeLessThan(8 * (await bytes(24_000)) + 100_000)
})

it('any other JSON is what JSON.parse returns, even beside large integers', () => {
  const smallIntegers = (_key: string, value: unknown) =>
    typeof value === 'number' ? Math.trunc(value % 1e15) : value
  const asNumbers = (_key: string, value: unknown) =>
    typeof value === 'bigint' ? Number(value) : value
  fc.assert(
    fc.property(fc.jsonValue({ stringUnit: anyCharacter }), (value) => {
      const text = JSON.stringify(value, smallIntegers)
      expect(JSON.stringify(parseExactFields(text), asNumbers)).toBe(text)
      const { other, large } = parseExactFields(
        `{"other":${text},"large":9007199254740993}`,
      ) as Record<string, unknown>
      expect(JSON.stringify(other, asNumbers)).toBe(text)
      expect(large).toBe(9007199254740993n)
    }),
  )
})

it('any other JSON keeps digits in strings and names as they are', () => {
  const text = '{"9007199254740993":"9007199254740993","1.0":"1.0"}'
  expect(parseExactFields(text)).toEqual({ '9007199254740993': '9007199254740993', '1.0': '1.0' })
})

it('any other JSON takes the last of fields with the same name, whatever came before', () => {
  const texts = ['1', '9007199254740993', '1.0', '"x"', '[1.0]', '{"a":9007199254740995}', 'null']
  for (const first of texts) {
    for (const last of texts) {
      const { a } = parseExactFields(`{"a":${first},"b":9007199254740997,"a":${last}}`) as {
        a: unknown
      }
      expect(a).toEqual(
        (parseExactFields(`{"a":${last},"b":9007199254740997}`) as { a: unknown }).a,
      )
    }
  }
})

it('any other JSON cannot set a prototype by `__proto__`', () => {
  const value = parseExactFields('{"__proto__":{"a":9007199254740993}}') as Record<string, unknown>
  expect(Object.getPrototypeOf(value)).toBe(Object.prototype)
  expect(value['a']).toBeUndefined()
})

it.each([
  '',
  '{',
  '01',
  '+1',
  '1.',
  '.5',
  '1e',
  '0x10',
  'NaN',
  'Infinity',
  '-',
  '1 2',
  '9007199254740993,',
  "{'a':1}",
  '9007199254740993n',
])('any other JSON throws a SyntaxError for %j', (text) => {
  expect(() => parseExactFields(text)).toThrow(SyntaxError)
})
