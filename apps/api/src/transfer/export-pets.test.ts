import { text } from 'node:stream/consumers'
import { INT64, PET_NAME, PET_STATUSES, type Pet, type PetInput } from '@pet-store/domain'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { exportPets } from './export-pets.ts'
import type { Format } from './pet-files/pet-file.ts'
import { READERS } from './pet-files/read-pets.ts'
import { csvOf, entriesOf, petsOf } from './testing/entries.test-support.ts'

/** A database of the pets in this list, to which more can be added; their ids begin with 1. */
function databaseOf(pets: readonly PetInput[]): Parameters<typeof exportPets>[0] {
  return {
    readPets: async ({ after = 0n, limit }) =>
      pets
        .map((pet, index) => ({ ...pet, id: BigInt(index + 1) }) as Pet)
        .filter(({ id }) => id > after)
        .slice(0, limit),
  }
}

function somePets(count: number): PetInput[] {
  return Array.from({ length: count }, (_, index) => ({ name: `Pet ${index}`, categoryId: 1n }))
}

async function written(pets: readonly PetInput[], format: Format, ids = false): Promise<string> {
  return text(exportPets(databaseOf(pets), { format, ids }))
}

/** Any character, even a surrogate; the unit `binary` of fast-check takes seconds to make. */
const anyCharacter = fc.nat(0x10ffff).map((code) => String.fromCodePoint(code))

const ODD: readonly PetInput[] = [
  { name: 'Rex', categoryId: INT64.max, status: 'sold' },
  { name: ' Léo\t', categoryId: INT64.min },
  { name: 'a "b", c\r\nd', categoryId: 0n, status: 'pending' },
  { name: '=1+1', categoryId: 1n },
  { name: 'a\rb', categoryId: 1n },
]

describe('exported pets', () => {
  it('exported CSV has quotes only where necessary, and an empty value for no status', async () => {
    expect(await written(ODD, 'csv', true)).toBe(
      csvOf(
        'id,name,categoryId,status',
        '1,Rex,9223372036854775807,sold',
        '2," Léo\t",-9223372036854775808,',
        '3,"a ""b"", c\r\nd",0,pending',
        '4,=1+1,1,',
        '5,"a\rb",1,',
      ),
    )
    expect(await written([], 'csv')).toBe(csvOf('name,categoryId,status'))
  })

  it('exported pets are lines of JSON, without an absent status', async () => {
    expect(await written(ODD, 'ndjson', true)).toBe(
      '{"id":1,"name":"Rex","categoryId":9223372036854775807,"status":"sold"}\n' +
        '{"id":2,"name":" Léo\\t","categoryId":-9223372036854775808}\n' +
        '{"id":3,"name":"a \\"b\\", c\\r\\nd","categoryId":0,"status":"pending"}\n' +
        '{"id":4,"name":"=1+1","categoryId":1}\n' +
        '{"id":5,"name":"a\\rb","categoryId":1}\n',
    )
    expect(await written([{ name: 'Rex', categoryId: 1n }], 'ndjson')).toBe(
      '{"name":"Rex","categoryId":1}\n',
    )
    expect(await written([], 'ndjson')).toBe('')
  })

  it.each(['csv', 'ndjson'] as const)(
    'exported pets are imported as they were and exported as the same bytes: %s',
    async (format) => {
      const part = fc.oneof(
        fc.string({ unit: anyCharacter }),
        fc.constantFrom(
          '"',
          ',',
          '\n',
          '\r\n',
          '\r',
          ' ',
          '\t',
          '=1+1',
          '🐕',
          '\u2028',
          '\ufeff',
          '\\',
          "'",
        ),
      )
      const name = fc
        .array(part, { minLength: 1, maxLength: 6 })
        .map((parts) => parts.join(''))
        .filter((some) => PET_NAME.notBlank.test(some) && !PET_NAME.unstorable.test(some))
      const categoryId = fc.bigInt(INT64)
      const pet = fc.record(
        { name, categoryId, status: fc.constantFrom(...PET_STATUSES) },
        { requiredKeys: ['name', 'categoryId'] },
      )
      await fc.assert(
        fc.asyncProperty(
          fc.array(pet, { maxLength: 8 }),
          fc.boolean(),
          fc.nat(5),
          async (pets, ids, more) => {
            const content = await written(pets, format, ids)
            const read = petsOf(await entriesOf(READERS[format], content, more + 1))
            expect(read).toEqual(pets)
            expect(await written(read as PetInput[], format, ids)).toBe(content)
          },
        ),
      )
    },
  )

  it('exported pets are read a page at a time, as they are written', async () => {
    const pages: (bigint | undefined)[] = []
    const pets = databaseOf(somePets(12_000))
    const pieces = exportPets(
      {
        readPets(query) {
          if (query.limit > 1) pages.push(query.after)
          return pets.readPets(query)
        },
      },
      { format: 'ndjson', ids: true },
    )
    const first = String((await pieces.next()).value)
    expect(pages).toEqual([undefined])
    expect((first + (await text(pieces))).split('\n').filter(Boolean)).toHaveLength(12_000)
    expect(pages).toEqual([undefined, 5_000n, 10_000n])
  })

  it('exported pets end with the last one that was stored when the export began', async () => {
    for (const count of [1, 5_000, 5_001]) {
      const pets = somePets(count)
      let lines = 0
      for await (const piece of exportPets(databaseOf(pets), { format: 'ndjson', ids: true })) {
        const written = piece.split('\n').length - 1
        pets.push(...somePets(written))
        lines += written
        expect(lines).toBeLessThanOrEqual(count)
      }
      expect(lines).toBe(count)
    }
  })
})
