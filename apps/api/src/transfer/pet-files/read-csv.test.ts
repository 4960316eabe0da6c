import { PET_FIELDS } from '@pet-store/domain'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { entriesOf, petsOf, pieces } from '../testing/entries.test-support.ts'
import { readCsv } from './read-csv.ts'
import { readText } from './read-text.ts'

const read = async (text: string, size?: number) => petsOf(await entriesOf(readCsv, text, size))
const SIZES = [1, 7, 99_999]

describe('CSV', () => {
  it('CSV has columns in any order; an empty status is absent, an id is ignored', async () => {
    expect(await read('status,id,categoryId,name\nsold,5,7,Rex\n,,-1, Léo 🐕 \n')).toEqual([
      { name: 'Rex', categoryId: 7n, status: 'sold' },
      { name: ' Léo 🐕 ', categoryId: -1n },
    ])
    expect(await read('categoryId,name\n9223372036854775807,Rex')).toEqual([
      { name: 'Rex', categoryId: 2n ** 63n - 1n },
    ])
  })

  it('CSV has quotes around values with quotes, commas or line breaks', async () => {
    const text = '"name","categoryId"\r\n"a ""b"", c\r\nd\n\ne",1\r\n=1+1,"2"\r\n"Rex",3'
    for (const size of SIZES) {
      expect(await read(text, size)).toEqual([
        { name: 'a "b", c\r\nd\n\ne', categoryId: 1n },
        { name: '=1+1', categoryId: 2n },
        { name: 'Rex', categoryId: 3n },
      ])
    }
  })

  it('CSV has the line of every pet, whatever line breaks its values have', async () => {
    const name = fc.array(fc.constantFrom('a', '\n', '\r\n', '\r', '""', ','), {
      minLength: 1,
      maxLength: 6,
    })
    const gap = fc.constantFrom('', '\n', '\r\n', ',\n', '" \r\n",\r\n', '\n\n')
    const end = fc.constantFrom('\n', '\r\n')
    const pets = fc.array(
      fc.tuple(
        gap,
        name.map((parts) => parts.join('')),
        end,
      ),
      { maxLength: 8 },
    )
    await fc.assert(
      fc.asyncProperty(pets, fc.constantFrom(...SIZES), async (parts, size) => {
        let text = 'name,categoryId\n'
        const expected: number[] = []
        for (const [before, value, after] of parts) {
          text += before
          expected.push(text.split('\n').length)
          text += `"${value}",1${after}`
        }
        const entries = await entriesOf(readCsv, text, size)
        const isPet = parts.map(([, value]) => value.replaceAll('""', '"').trim() !== '')
        expect(entries.map(({ line }) => line)).toEqual(expected)
        expect(entries.map((entry) => 'pet' in entry)).toEqual(isPet)
      }),
    )
  })

  it.each([
    ['semicolons', 'name;categoryId;status\r\n"Rex; ""the"" dog";7;sold\r\nLéo, 🐕;-1;\r\n'],
    ['tabs', '"name"\t"categoryId"\t"status"\n"Rex; ""the"" dog"\t7\tsold\nLéo, 🐕\t-1\t\n'],
    [
      'a line that names the delimiter',
      'sep=|\r\nname|categoryId|status\r\n"Rex; ""the"" dog"|7|sold\r\nLéo, 🐕|-1|\r\n',
    ],
    ['other spellings', 'Name;CATEGORY ID;Status\n"Rex; ""the"" dog";7;sold\nLéo, 🐕;-1;\n'],
    ['underscores', 'name; category_id ;status\n"Rex; ""the"" dog";7;sold\nLéo, 🐕;-1;\n'],
    ['only carriage returns', 'name;categoryId;status\r"Rex; ""the"" dog";7;sold\rLéo, 🐕;-1;\r'],
    [
      'empty records',
      '\nname;categoryId;status\n;;\n\n"Rex; ""the"" dog";7;sold\n ; ;\nLéo, 🐕;-1;\n;;\n',
    ],
  ])('CSV is read as spreadsheet programs write it: with %s', async (_, text) => {
    expect(await read(text)).toEqual([
      { name: 'Rex; "the" dog', categoryId: 7n, status: 'sold' },
      { name: 'Léo, 🐕', categoryId: -1n },
    ])
  })

  it('the line of CSV that names the delimiter is counted', async () => {
    expect(await read('sep=;\nname;categoryId\nRex;x\n')).toEqual([`3: ${INTEGER}, got "x"`])
  })

  const INTEGER = 'categoryId must be an integer from -9223372036854775808 to 9223372036854775807'

  it('CSV may have an integer with a fraction of zeros', async () => {
    expect(await read('name,categoryId\nRex,7.0\nMia,-0.00\nLeo,0.0\n')).toEqual([
      { name: 'Rex', categoryId: 7n },
      `3: ${INTEGER}, got "-0.00"`,
      { name: 'Leo', categoryId: 0n },
    ])
  })

  it.each([
    [',1,', 'name must have a character that is not white space, got ""'],
    ['a\0,1,', 'name must not contain NUL or a lone surrogate, got "a\\u0000"'],
    ['a,,', `${INTEGER}, got ""`],
    ['a,1.5,', `${INTEGER}, got "1.5"`],
    ['a, 1,', `${INTEGER}, got " 1"`],
    ['a,+1,', `${INTEGER}, got "+1"`],
    ['a,-0,', `${INTEGER}, got "-0"`],
    ['a,1E+15,', `${INTEGER}, got "1E+15"`],
    ['a,9223372036854775808,', `${INTEGER}, got 9223372036854775808`],
    ['a,99999999999999999999,', `${INTEGER}, got "99999999999999999999"`],
    ['a,1,SOLD', 'status must be one of available, pending, sold, got "SOLD"'],
    ['a,1', 'must have 3 values like the first line, got 2'],
    ['a,1,sold,', 'must have 3 values like the first line, got 4'],
  ])('the line %j of CSV is rejected with a reason and the value', async (line, reason) => {
    const expected = [`2: ${reason}`, { name: 'Rex', categoryId: 1n }]
    expect(await read(`name,categoryId,status\n${line}\nRex,1,\n`)).toEqual(expected)
  })

  it.each([
    ['', 'must name the columns'],
    ['\n\n', 'must name the columns'],
    ['name,status\n', 'lacks the column categoryId'],
    ['name,categoryId,Colour\n', 'has the unknown column "Colour"'],
    ['name,categoryId,Name\n', 'has the column name twice'],
    ['name|categoryId\n', 'has the unknown column "name|categoryId"'],
    ['Rex,1,sold\n', 'has the unknown column "Rex"'],
  ])('the header %j of CSV is rejected with what is wrong', async (text, mistake) => {
    const columns = Object.keys(PET_FIELDS).join(', ')
    const rule = `${columns}, id, of which name and categoryId are required`
    await expect(read(text)).rejects.toThrow(mistake)
    await expect(read(text)).rejects.toThrow(rule)
    await expect(read(text)).rejects.toThrow(/^Line 1 /)
  })

  const MISPLACED =
    'has a misplaced quote: quotes enclose a whole value, and a quote in it is written twice'

  it.each([
    ['in a value', 'a "b",1\nc,1\n', `line 2 ${MISPLACED}.`],
    ['that is not closed', '"a,1\nc,1\n', 'line 2 has a quote that is not closed.'],
    ['after a value', '"o\r\nk",1\n"a"b,1\n"c",1\n', `line 4 ${MISPLACED}.`],
    [
      'that would make a line too long',
      `"${'a'.repeat(60_000)}\n${'a'.repeat(60_000)}`,
      'line 2 has more than 102,400 bytes, or a quote that is not closed.',
    ],
  ])(
    'CSV is read up to a misplaced quote %s, and its record is named',
    async (_, text, sentence) => {
      // The pieces of a line are joined again with each of them.
      const short = text.length < 1_000 ? 7 : 701
      for (const size of [short, 65_536]) {
        const found: unknown[] = []
        const reading = (async () => {
          const source = readText(pieces(`name,categoryId\n"ok",1\n${text}`, size))
          for await (const entries of readCsv(source)) found.push(...petsOf(entries))
        })()
        await expect(reading).rejects.toThrow(`The record after ${sentence}`)
        expect(found[0]).toEqual({ name: 'ok', categoryId: 1n })
      }
    },
  )

  it('CSV with a name of too many lines is reported with the first of them', async () => {
    const rule = 'name must have at most 1000 characters'
    expect(await read(`name,categoryId\n"${'a\n'.repeat(1000)}",1`)).toEqual([
      expect.stringContaining(`2: ${rule}`),
    ])
  })
})
