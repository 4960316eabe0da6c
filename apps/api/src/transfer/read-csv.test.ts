import { parse } from 'csv-parse/sync'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createCsvReader } from './read-csv.ts'
import { entriesOf, petsOf } from './testing/entries.test-support.ts'

const read = (text: string, atOnce?: number) => petsOf(entriesOf(createCsvReader(), text, atOnce))
const lines = (text: string) => entriesOf(createCsvReader(), text).map(({ line, lastLine }) => [line, lastLine])

describe('CSV', () => {
  it('has columns in any order; an empty status is absent, an id is not used', () => {
    expect(read('status,id,categoryId,name\nsold,5,7,Rex\n,,-1, Léo 🐕 \n')).toEqual([
      { name: 'Rex', categoryId: 7n, status: 'sold' },
      { name: ' Léo 🐕 ', categoryId: -1n },
    ])
    expect(read('categoryId,name\n9223372036854775807,Rex')).toEqual([{ name: 'Rex', categoryId: 2n ** 63n - 1n }])
  })

  it('has quotes around values with quotes, commas or line breaks', () => {
    const text = '"name","categoryId"\r\n"a ""b"", c\r\nd\n\ne",1\r\n=1+1,"2"\r\n"Rex",3'
    for (const atOnce of [1, 2, 99]) {
      expect(read(text, atOnce)).toEqual([
        { name: 'a "b", c\r\nd\n\ne', categoryId: 1n },
        { name: '=1+1', categoryId: 2n },
        { name: 'Rex', categoryId: 3n },
      ])
    }
  })

  it('reports the lines of every pet', () => {
    expect(lines('name,categoryId\n\na,1\n"b\r\n\nb",1\r\n\r\nc\rc,1\n"d",1')).toEqual([
      [3, 3],
      [4, 6],
      [8, 8],
      [9, 9],
    ])
  })

  it('is read as csv-parse reads it', () => {
    const part = fc.constantFrom('a', '"', '""', '"b"', ',', ',1\n', ',1\r\n', '\n', '\r', ' ', 'é', ',"1"\n')
    const text = fc.array(part, { maxLength: 30 }).map((parts) => `${parts.join('')}\n`)
    const options = { record_delimiter: ['\r\n', '\n'], relax_column_count: true, skip_empty_lines: true }
    const outcomes = { read: 0, broken: 0 }
    fc.assert(
      fc.property(text, fc.integer({ min: 1, max: 5 }), (body, atOnce) => {
        const names = () =>
          entriesOf(createCsvReader(), `name,categoryId\n${body}`, atOnce).map((entry) =>
            'pet' in entry ? entry.pet.name : REJECTED,
          )
        const expected = parsedBy(() => parse(body, options))
        outcomes[expected === undefined ? 'broken' : 'read'] += 1
        if (expected === undefined) expect(names).toThrow('has a quote')
        else expect(names()).toEqual(expected.map(nameIn))
      }),
      { numRuns: 3_000 },
    )
    // Both kinds of text must have been generated.
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
    ['a,1', 'must have 3 values like the first line, got 2'],
    ['a,1,sold,', 'must have 3 values like the first line, got 4'],
    [' ', 'must have 3 values like the first line, got 1'],
    ['""', 'must have 3 values like the first line, got 1'],
  ])('rejects the line %j with a reason', (line, reason) => {
    expect(read(`name,categoryId,status\n${line}\nRex,1,\n`)).toEqual([`2: ${reason}`, { name: 'Rex', categoryId: 1n }])
  })

  it.each([
    ['', 'must name the columns'],
    ['\n\n', 'must name the columns'],
    ['name,status\n', 'lacks the column categoryId'],
    ['name\n', 'lacks the column categoryId'],
    ['name,categoryId,Status\n', 'has the unknown column "Status"'],
    ['name,categoryId,name\n', 'has the column name twice'],
    ['name, categoryId\n', 'has the unknown column " categoryId"'],
    ['name|categoryId\n', 'has the unknown column "name|categoryId"'],
    ['Rex,1,sold\n', 'has the unknown column "Rex"'],
  ])('names what is wrong with the header %j', (text, mistake) => {
    const rule = 'name, categoryId, status, id, of which name and categoryId are required'
    expect(() => read(text)).toThrow(mistake)
    expect(() => read(text)).toThrow(rule)
    expect(() => read(text)).toThrow(/^Line 1 /)
  })

  it.each([
    [';', 'name;categoryId;status\r\n"Rex; ""the"" dog";7;sold\r\nLéo, 🐕;-1;\r\n'],
    ['\t', '"name"\t"categoryId"\t"status"\n"Rex; ""the"" dog"\t7\tsold\nLéo, 🐕\t-1\t\n'],
  ])('has values separated by %j, as spreadsheet programs write them', (_, text) => {
    for (const atOnce of [1, 99]) {
      expect(read(text, atOnce)).toEqual([
        { name: 'Rex; "the" dog', categoryId: 7n, status: 'sold' },
        { name: 'Léo, 🐕', categoryId: -1n },
      ])
    }
  })

  const MISPLACED = 'has a quote where none can be: quotes enclose a whole value, and a quote in it is doubled'

  it.each([
    ['a "b",1\nc,1\n', `Line 3 ${MISPLACED}.`],
    ['a "b,1\nc,1\n', 'Line 3 has a quote that is not closed.'],
    ['"a,1\nc,1\n', 'Line 3 has a quote that is not closed.'],
    ['"a"b",1\n"c",1\n', 'Line 3 has a quote that is not closed.'],
    ['"o\r\nk",1\n"a"b,1\n"c",1\n', `Line 5 ${MISPLACED}.`],
  ])('names the line of an unbalanced quote: %j', (text, sentence) => {
    for (const atOnce of [1, 2, 99]) {
      expect(() => read(`name,categoryId\n"ok",1\n${text}`, atOnce)).toThrow(sentence)
    }
  })

  it('is not read without limit after a quote that is not closed', () => {
    const reader = createCsvReader()
    reader.read(['name,categoryId'])
    expect(() => reader.read(['"', ...Array(60_000).fill('a')] as string[])).toThrow(
      'Line 2 has a quote that is not closed.',
    )
    expect(read(`name,categoryId\n"${'a\n'.repeat(1000)}",1`)).toEqual(['2: name must have at most 1000 characters'])
  })
})

const REJECTED = 'rejected'

function parsedBy(run: () => string[][]): string[][] | undefined {
  try {
    return run()
  } catch {
    return undefined
  }
}

/** Returns the name in a valid record of the two columns above. */
function nameIn([name = '', categoryId, ...more]: readonly string[]): string {
  return /\S/.test(name) && categoryId === '1' && more.length === 0 ? name : REJECTED
}
