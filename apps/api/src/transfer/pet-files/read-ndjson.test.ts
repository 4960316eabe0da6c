import { describe, expect, it } from 'vitest'
import { entriesOf, petsOf } from '../testing/entries.test-support.ts'
import { readNdjson } from './read-ndjson.ts'

const read = async (text: string, size?: number) => petsOf(await entriesOf(readNdjson, text, size))

describe('NDJSON', () => {
  it('NDJSON has one pet per line; an absent status stays absent, an id is not used', async () => {
    expect(
      await read(
        '{"name":"Rex","categoryId":7,"status":"sold"}\n' +
          '{"id":9,"categoryId":-1,"name":" é\\r\\n"}\r\n',
      ),
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
  ])('NDJSON has exact integers: %s', async (text, categoryId) => {
    expect(await read(`{"name":"Rex","categoryId":${text}}`)).toEqual([{ name: 'Rex', categoryId }])
  })

  it('empty lines of NDJSON are skipped, and count', async () => {
    expect(await read('\n\r\n{"name":"Rex","categoryId":7}\n\nnull\n')).toEqual([
      { name: 'Rex', categoryId: 7n },
      '5: must be a JSON object, got "null"',
    ])
  })

  const INTEGER = 'categoryId must be an integer from -9223372036854775808 to 9223372036854775807'
  const ARRAY =
    "is an array; write one pet per line without brackets and commas (jq -c '.[]' converts it)"
  const STATUS = 'status must be one of available, pending, sold'

  it.each([
    ['nonsense', 'must be JSON, got "nonsense"'],
    [
      '{"name":"Rex","categoryId":7} {}',
      'must be JSON, got "{\\"name\\":\\"Rex\\",\\"categoryId\\":7} {}"',
    ],
    ['[{"name":"Rex","categoryId":7}]', ARRAY],
    ['[', ARRAY],
    ['1.5', 'must be a JSON object, got "1.5"'],
    ['{"Name":"Rex","categoryId":7}', 'has the unknown field "Name"'],
    ['{"name":"Rex","categoryId":7,"__proto__":{}}', 'has the unknown field "__proto__"'],
    ['{"categoryId":7}', 'name must be a string'],
    ['{"name":null,"categoryId":7}', 'name must be a string, got null'],
    [
      '{"name":"\\ud800","categoryId":7}',
      'name must not contain NUL or a lone surrogate, got "\\ud800"',
    ],
    [
      `{"name":"${'é'.repeat(1001)}","categoryId":7}`,
      `name must have at most 1000 characters, got "${'é'.repeat(59)}…`,
    ],
    ['{"name":"Rex"}', INTEGER],
    ['{"name":"Rex","categoryId":"7"}', `${INTEGER}, got "7"`],
    ['{"name":"Rex","categoryId":1.5}', `${INTEGER}, got 1.5`],
    ['{"name":"Rex","categoryId":{}}', `${INTEGER}, got {}`],
    ['{"name":"Rex","categoryId":9223372036854775808}', `${INTEGER}, got 9223372036854775808`],
    ['{"name":"Rex","categoryId":1e999999999}', `${INTEGER}, got 1e999999999`],
    ['{"name":"Rex","categoryId":7,"status":null}', `${STATUS}, got null`],
    ['{"name":"Rex","categoryId":7,"status":"SOLD"}', `${STATUS}, got "SOLD"`],
  ])('NDJSON with %s is rejected with a reason', async (text, reason) => {
    expect(await read(text)).toEqual([`1: ${reason}`])
  })
})
