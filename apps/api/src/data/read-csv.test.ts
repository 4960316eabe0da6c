import { parse } from 'csv-parse/sync'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { entriesOf, petsOf } from './read.test-support.ts'
import { createCsvReader } from './read-csv.ts'

const read = (text: string, atOnce?: number) => petsOf(entriesOf(createCsvReader(), text, atOnce))
const lines = (text: string) => entriesOf(createCsvReader(), text).map(({ line, lastLine }) => [line, lastLine])

describe('CSV', () => {
  it('holds pets in columns of any order; an empty status is none, an id means nothing', () => {
    expect(read('status,id,categoryId,name\nsold,5,7,Rex\n,,-1, Léo 🐕 \n')).toEqual([
      { name: 'Rex', categoryId: 7n, status: 'sold' },
      { name: ' Léo 🐕 ', categoryId: -1n },
    ])
    expect(read('categoryId,name\n9223372036854775807,Rex')).toEqual([{ name: 'Rex', categoryId: 2n ** 63n - 1n }])
  })

  it('has quotes around what has quotes, commas or line breaks in it, and keeps those', () => {
    const text = '"name","categoryId"\r\n"a ""b"", c\r\nd\n\ne",1\r\n=1+1,"2"\r\n"Rex",3'
    for (const atOnce of [1, 2, 99]) {
      expect(read(text, atOnce)).toEqual([
        { name: 'a "b", c\r\nd\n\ne', categoryId: 1n },
        { name: '=1+1', categoryId: 2n },
        { name: 'Rex', categoryId: 3n },
      ])
    }
  })

  it('knows where every pet begins and ends', () => {
    expect(lines('name,categoryId\n\na,1\n"b\r\n\nb",1\r\n\r\nc\rc,1\n"d",1')).toEqual([
      [3, 3],
      [4, 6],
      [8, 8],
      [9, 9],
    ])
  })

  it('is read as csv-parse alone reads it, whatever is in it', () => {
    const part = fc.constantFrom('a', '"', '""', '"b"', ',', ',1\n', ',1\r\n', '\n', '\r', ' ', 'é', ',"1"\n')
    const text = fc.array(part, { maxLength: 30 }).map((parts) => `${parts.join('')}\n`)
    const options = { record_delimiter: ['\r\n', '\n'], relax_column_count: true, skip_empty_lines: true }
    const outcomes = { read: 0, broken: 0 }
    fc.assert(
      fc.property(text, fc.integer({ min: 1, max: 5 }), (body, atOnce) => {
        const names = () =>
          entriesOf(createCsvReader(), `name,categoryId\n${body}`, atOnce).map((entry) =>
            'pet' in entry ? entry.pet.name : REFUSED,
          )
        const expected = parsedBy(() => parse(body, options))
        outcomes[expected === undefined ? 'broken' : 'read'] += 1
        if (expected === undefined) expect(names).toThrow('has a quote')
        else expect(names()).toEqual(expected.map(nameIn))
      }),
      { numRuns: 3_000 },
    )
    // Neither kind of text may have been forgotten.
    expect(Math.min(outcomes.read, outcomes.broken)).toBeGreaterThan(100)
  })

  const INTEGER = 'categoryId must be an integer from -9223372036854775808 to 9223372036854775807'

  it.each([
    [',1,', 'name must have a character that is not white space'],
    ['a\0,1,', 'name must not contain NUL or a lone surrogate'],
    ['a,,', INTEGER],
    ['a,1.0,', INTEGER],
    ['a, 1,', INTEGER],
    ['a,+1,', INTEGER],
    ['a,-0,', INTEGER],
    ['a,1E+15,', INTEGER],
    ['a,9223372036854775808,', INTEGER],
    ['a,-9223372036854775809,', INTEGER],
    ['a,99999999999999999999,', INTEGER],
    ['a,1,SOLD', 'status must be one of available, pending, sold'],
    ['a,1, sold', 'status must be one of available, pending, sold'],
    ['a,1', 'must have 3 values as the first line has, got 2'],
    ['a,1,sold,', 'must have 3 values as the first line has, got 4'],
    [' ', 'must have 3 values as the first line has, got 1'],
    ['""', 'must have 3 values as the first line has, got 1'],
  ])('has lines that are refused with a reason: %j', (line, reason) => {
    expect(read(`name,categoryId,status\n${line}\nRex,1,\n`)).toEqual([`2: ${reason}`, { name: 'Rex', categoryId: 1n }])
  })

  it.each([
    ['', ''],
    ['\n\n', ''],
    ['name;categoryId;status\n', 'name;categoryId;status'],
    ['name,status\n', 'name,status'],
    ['name,categoryId,Status\n', 'name,categoryId,Status'],
    ['name,categoryId,name\n', 'name,categoryId,name'],
    ['name, categoryId\n', 'name, categoryId'],
    ['Rex,1,sold\n', 'Rex,1,sold'],
  ])('names its columns first: not %j', (text, got) => {
    expect(() => read(text)).toThrow(
      `Line 1 must name the columns name and categoryId, and may name status and id, each once, got "${got}".`,
    )
  })

  const MISPLACED = 'has a quote where none can be; a value is in quotes whole, and quotes in it are doubled'

  it.each([
    ['a "b",1\nc,1\n', `Line 3 ${MISPLACED}.`],
    ['a "b,1\nc,1\n', 'Line 3 has a quote that is not closed.'],
    ['"a,1\nc,1\n', 'Line 3 has a quote that is not closed.'],
    ['"a"b",1\n"c",1\n', 'Line 3 has a quote that is not closed.'],
    ['"o\r\nk",1\n"a"b,1\n"c",1\n', `Line 5 ${MISPLACED}.`],
  ])('with an unbalanced quote is not read on, and its line is named: %j', (text, sentence) => {
    for (const atOnce of [1, 2, 99]) {
      expect(() => read(`name,categoryId\n"ok",1\n${text}`, atOnce)).toThrow(sentence)
    }
  })

  it('is not read for ever after a quote that is not closed', () => {
    const reader = createCsvReader()
    reader.read(['name,categoryId'])
    expect(() => reader.read(['"', ...Array(60_000).fill('a')] as string[])).toThrow(
      'Line 2 has a quote that is not closed.',
    )
    expect(read(`name,categoryId\n"${'a\n'.repeat(1000)}",1`)).toEqual(['2: name must have at most 1000 characters'])
  })
})

const REFUSED = 'refused'

function parsedBy(run: () => string[][]): string[][] | undefined {
  try {
    return run()
  } catch {
    return undefined
  }
}

/** The name in a good record of the two columns above. */
function nameIn([name = '', categoryId, ...more]: readonly string[]): string {
  return /\S/.test(name) && categoryId === '1' && more.length === 0 ? name : REFUSED
}
