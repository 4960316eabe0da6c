import { INT64, validateNewPet } from '@pet-store/domain'
import type { BulkAccess, PetImport, StoredIdempotencyKey } from '@pet-store/persistence'
import { beforeEach, describe, expect, it } from 'vitest'
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

describe.each(KINDS)('many new pets in %s', (kind) => {
  let bulk: BulkAccess
  beforeEach(async () => {
    bulk = await openDatabase(await DATABASES[kind]())
  })

  it('get ascending ids in their order and are returned exactly', async () => {
    await bulk.addPets(ODD)
    await bulk.addPets([])
    await bulk.addPets(MANY)
    const stored = await allPets(bulk)
    expect(stored.map(({ id: _, ...pet }) => pet)).toEqual([...ODD, ...MANY])
    expect(stored.map(({ id }) => id)).toEqual(stored.map((_, index) => BigInt(index + 1)))
  })

  it('are read by status, a page at a time', async () => {
    await bulk.addPets([...ODD, ...ODD])
    const names = async (after: bigint, limit: number) =>
      (await bulk.readPets({ after, limit, status: 'sold' })).map(({ id, name }) => `${id} ${name}`)
    expect(await names(0n, 9)).toEqual(['1 Top', '5 Top'])
    expect(await names(0n, 1)).toEqual(['1 Top'])
    expect(await names(1n, 9)).toEqual(['5 Top'])
    expect(await names(5n, 9)).toEqual([])
  })

  it('are stored together with the progress of their import', async () => {
    const [first, second, end] = [
      importOf({}),
      importOf({ sha256: 'b', lines: 2 ** 52 + 1 }),
      importOf({ state: 'finished' }),
    ]
    await bulk.addPets(ODD, { to: first })
    expect(await bulk.readPetImports()).toEqual([first])
    await bulk.addPets(ODD, { from: first, to: second })
    await bulk.addPets([], { from: second, to: end })
    expect(await bulk.readPetImports()).toEqual([end])
    expect(await bulk.countPets()).toBe(8)
  })

  it('are not stored, nor is their import, when another process has begun or advanced it', async () => {
    const first = importOf({})
    await bulk.addPets(ODD, { to: first })
    for (const step of [
      { to: importOf({ sha256: 'b', lines: 7 }) },
      { from: importOf({ id: 2n }), to: importOf({ sha256: 'b' }) },
      { from: importOf({ sha256: 'other' }), to: importOf({ sha256: 'b' }) },
      { from: importOf({ state: 'finished' }), to: importOf({ sha256: 'b' }) },
    ]) {
      await expect(bulk.addPets(ODD, step)).rejects.toThrow('Another import is running.')
    }
    expect(await bulk.countPets()).toBe(4)
    expect(await bulk.readPetImports()).toEqual([first])
  })

  it('are all stored or none, with their import', async () => {
    const broken = { ...ODD[0], status: 'lost' } as unknown as (typeof ODD)[number]
    await expect(bulk.addPets([...MANY, broken], { to: importOf({}) })).rejects.toThrow('pet_status_check')
    expect(await bulk.countPets()).toBe(0)
    expect(await bulk.readPetImports()).toEqual([])
    await bulk.addPets(ODD, { to: importOf({}) })
    expect(await bulk.countPets()).toBe(4)
  })

  it('are read and written with their idempotency keys, by owner and key', async () => {
    const key = (owner: string, text: string, petId: bigint): StoredIdempotencyKey => ({
      owner,
      key: text,
      fingerprint: 'f',
      petId,
      at: new Date(5),
    })
    const keys = [key('a', 'x', 1n), key('a', 'y', 2n), key('b', 'x', INT64.max)]
    await bulk.writeIdempotencyKeys(keys.toReversed())
    expect(await bulk.readIdempotencyKeys(2)).toEqual(keys.slice(0, 2))
    expect(await bulk.readIdempotencyKeys(2, keys[1])).toEqual([keys[2]])
    await bulk.writeIdempotencyKeys([key('a', 'x', 7n)])
    expect(await bulk.readIdempotencyKeys(1)).toEqual([key('a', 'x', 7n)])
  })

  it('are read and written with API keys, all fields of them', async () => {
    const plain = { id: 'key_1', sha256: 'a', name: 'n', scopes: ['pets:read'], createdAt: new Date(1) } as const
    const full = {
      id: 'key_2',
      sha256: 'b',
      name: 'n',
      scopes: ['pets:read', 'pets:write'],
      createdAt: new Date(2),
      createdBy: 'Ada',
      expiresAt: new Date(3),
      revokedAt: new Date(4),
      revokedBy: 'Bob',
      lastUsedAt: new Date(5),
      replaces: 'key_1',
      overlapUntil: new Date(6),
    } as const
    await bulk.writeApiKeys([full, plain])
    expect(await bulk.readApiKeys()).toStrictEqual([plain, full])
  })
})
