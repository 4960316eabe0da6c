import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createNdjsonReader } from './read-ndjson.ts'
import { entriesOf, petsOf } from './testing/entries.test-support.ts'

const read = (text: string) => petsOf(entriesOf(createNdjsonReader(), text))

describe('NDJSON', () => {
  it('has one pet per line; an absent status stays absent, an id is not used', () => {
    expect(
      read('{"name":"Rex","categoryId":7,"status":"sold"}\n{"id":9,"categoryId":-1,"name":" é\\r\\n"}\r\n'),
    ).toEqual([
      { name: 'Rex', categoryId: 7n, status: 'sold' },
      { name: ' é\r\n', categoryId: -1n },
    ])
  })

  it.each([
    ['9223372036854775807', 9223372036854775807n],
    ['-9223372036854775808', -9223372036854775808n],
    ['9007199254740993', 9007199254740993n],
    ['1.0', 1n],
    ['1e3', 1000n],
    ['-0', 0n],
  ])('has exact integers: %s', (text, categoryId) => {
    expect(read(`{"name":"Rex","categoryId":${text}}`)).toEqual([{ name: 'Rex', categoryId }])
  })

  it('skips empty lines, which count', () => {
    expect(read('\n\r\n{"name":"Rex","categoryId":7}\n\nnull\n')).toEqual([
      { name: 'Rex', categoryId: 7n },
      '5: must be a JSON object',
    ])
  })

  it('reads a line as an export writes it like the same line with white space, which takes another path', () => {
    const part = fc.constantFrom(
      'a',
      ' ',
      'é',
      '🐕',
      '\\\\',
      '\\"',
      '\\u0041',
      '\\ud800',
      '"',
      '\\',
      '\t',
      '\u007f',
      '\u2028',
    )
    const name = fc.array(part, { maxLength: 4 }).map((parts) => `"${parts.join('')}"`)
    const integers = ['0', '-0', '-1', '01', '1.0', '1e3', '"1"', 'null', '9'.repeat(18), `-${'9'.repeat(18)}`]
    const categoryId = fc.constantFrom(...integers, '9223372036854775807', '9223372036854775808')
    const status = fc.constantFrom('', ',"status":"sold"', ',"status":""', ',"status":"SOLD"', ',"status":null')
    const id = fc.constantFrom('', '"id":5,', '"id":-0,', '"id":05,', '"id":99999999999999999999,', '"id":"x",')
    const line = fc
      .tuple(id, name, categoryId, status, fc.constantFrom('', '\r', '}', ' '))
      .map((parts) => `{${parts[0]}"name":${parts[1]},"categoryId":${parts[2]}${parts[3]}}${parts[4]}`)
    fc.assert(
      fc.property(line, (text) => {
        expect(read(text)).toEqual(read(` ${text}`))
      }),
      { numRuns: 3_000 },
    )
  })

  const INTEGER = 'categoryId must be an integer from -9223372036854775808 to 9223372036854775807'

  it.each([
    ['nonsense', 'must be JSON'],
    ['{"name":"Rex","categoryId":7', 'must be JSON'],
    ['{"name":"Rex","categoryId":7} {}', 'must be JSON'],
    ['[]', 'must be a JSON object'],
    ['"Rex"', 'must be a JSON object'],
    ['1.5', 'must be a JSON object'],
    ['{"Name":"Rex","categoryId":7}', 'has the unknown field "Name"'],
    ['{"name":"Rex","categoryId":7,"__proto__":{}}', 'has the unknown field "__proto__"'],
    ['{"categoryId":7}', 'name must be a string'],
    ['{"name":null,"categoryId":7}', 'name must be a string'],
    ['{"name":" \\t","categoryId":7}', 'name must have a character that is not white space'],
    ['{"name":"a\\u0000","categoryId":7}', 'name must not contain NUL or a lone surrogate'],
    ['{"name":"\\ud800","categoryId":7}', 'name must not contain NUL or a lone surrogate'],
    [`{"name":"${'é'.repeat(1001)}","categoryId":7}`, 'name must have at most 1000 characters'],
    ['{"name":"Rex"}', INTEGER],
    ['{"name":"Rex","categoryId":"7"}', INTEGER],
    ['{"name":"Rex","categoryId":1.5}', INTEGER],
    ['{"name":"Rex","categoryId":9223372036854775808}', INTEGER],
    ['{"name":"Rex","categoryId":1e999999999}', INTEGER],
    ['{"name":"Rex","categoryId":7,"status":null}', 'status must be one of available, pending, sold'],
    ['{"name":"Rex","categoryId":7,"status":"SOLD"}', 'status must be one of available, pending, sold'],
  ])('rejects %s with a reason', (text, reason) => {
    expect(read(text)).toEqual([`1: ${reason}`])
  })
})
