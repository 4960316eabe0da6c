import { INT64, type PetQuery, validateNewPet } from '@pet-store/domain'
import type { BulkAccess, PetImport } from '@pet-store/persistence'
import { beforeEach, describe, expect, it } from 'vitest'
import { linesOfPets, NEW_PET_LINE_FIELDS, petsOfLines, writePetLines } from './pet-lines.ts'
import { allPets, DATABASES, KINDS, openDatabase } from './testing/databases.test-support.ts'

const MANY = Array.from({ length: 1_234 }, (_, index) =>
  validateNewPet({ name: `Pet ${index}`, categoryId: BigInt(index) }),
)
const ODD = [
  validateNewPet({ name: 'Top', categoryId: INT64.max, status: 'sold' }),
  validateNewPet({ name: 'Bottom', categoryId: INT64.min }),
  validateNewPet({ name: ' it\'s "odd"\\,{}\t\r\n🐕 NULL ', categoryId: 2n ** 53n + 1n, status: 'pending' }),
  validateNewPet({ name: 'NULL', categoryId: 0n, status: 'available' }),
]

const importOf = (fields: Partial<PetImport>): PetImport => ({
  id: 1n,
  sha256: 'a',
  fileSha256: 'f',
  state: 'unfinished',
  lines: 1,
  changedAt: new Date(5),
  ...fields,
})

describe.each(KINDS)('many pets in %s', (kind) => {
  let bulk: BulkAccess
  beforeEach(async () => {
    bulk = await openDatabase(await DATABASES[kind]())
  })

  it('are read as lines, which are the same in every database, by page and status', async () => {
    const names = [
      ...Array.from({ length: 300 }, (_, code) => `a${String.fromCodePoint(code + 1)}b`),
      '\\N',
      '\\',
      '🐕\u2028',
    ]
    const pets = [...ODD, ...names.map((name) => validateNewPet({ name, categoryId: 1n, status: 'sold' }))]
    await bulk.addPets(pets)
    const stored = await allPets(bulk)
    const lines = async (query: PetQuery) => Buffer.from((await bulk.readPetLines?.(query)) ?? []).toString()
    expect(await lines({ limit: 999 })).toBe(linesOfPets(stored).toString())
    expect(await lines({ limit: 2, after: 4n, status: 'sold' })).toBe(linesOfPets(stored.slice(4, 6)).toString())
    for (const after of [BigInt(stored.length), INT64.max, INT64.max + 1n])
      expect(await lines({ limit: 9, after })).toBe('')
    expect(await lines({ limit: 1, after: INT64.min - 1n })).toBe(linesOfPets(stored.slice(0, 1)).toString())
    expect(petsOfLines(linesOfPets(stored))).toStrictEqual(stored)
  })

  it('are stored as lines, with their ids or with new ones, all of them or none', async () => {
    const pets = ODD.map((pet, index) => ({ ...pet, id: BigInt(index + 5) }))
    await writePetLines(bulk, linesOfPets(pets))
    expect(await allPets(bulk)).toEqual(pets)
    const taken = [...pets.map((pet) => ({ ...pet, id: pet.id + 20n })), ...pets.slice(0, 1)]
    await expect(writePetLines(bulk, linesOfPets(taken))).rejects.toThrow(/pet_pkey|UNIQUE constraint failed: pet\.id/)
    expect(await allPets(bulk)).toEqual(pets)
    if (bulk.addPetLines === undefined) return

    await bulk.movePetIdsPast(99n)
    const [first, second] = [importOf({}), importOf({ sha256: 'b' })]
    const newLines = linesOfPets(ODD, NEW_PET_LINE_FIELDS)
    await bulk.addPetLines(newLines, { to: first })
    await expect(bulk.addPetLines(newLines, { to: second })).rejects.toThrow('Another import is running.')
    await bulk.addPetLines(Buffer.alloc(0), { from: first, to: second })
    expect((await allPets(bulk)).slice(pets.length)).toEqual(
      ODD.map((pet, index) => ({ ...pet, id: BigInt(index + 100) })),
    )
    expect(await bulk.readPetImports()).toEqual([second])
  })

  it('are stored on the connection on which storing others failed', async () => {
    for (let time = 0; time < 20; time += 1) {
      const broken = { ...ODD[0], status: 'lost' } as unknown as (typeof ODD)[number]
      await expect(bulk.addPets([...MANY, broken, ...MANY, ...MANY])).rejects.toThrow('pet_status_check')
    }
    await bulk.addPets(MANY)
    expect(await bulk.countPets()).toBe(MANY.length)
  })
})
