import type { Pet, PetQuery } from '@pet-store/domain'
import type { BulkAccess, PetImport, StoredApiKey } from '@pet-store/persistence'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { copyDatabase as copy } from './copy.ts'
import { createMemoryBulk, petsUpTo, REX } from './testing/memory-bulk.test-support.ts'

const PET: Pet = { ...REX, id: 1n, categoryId: 2n ** 53n }

/** Returns pages of at most this size. */
const paged = (bulk: BulkAccess, most: number): BulkAccess => ({
  ...bulk,
  readPets: (query: PetQuery) => bulk.readPets({ ...query, limit: Math.min(query.limit, most) }),
})

describe('copy', () => {
  it.each([
    { name: 'Rex ' },
    { name: 'rex' },
    { categoryId: -7n },
    { categoryId: 2n ** 53n + 1n },
    { status: 'sold' as const },
  ])('copy finds a pet that differs in %o, and has another checksum for it', async (fields) => {
    const other = { ...PET, ...fields }
    await expect(copy(createMemoryBulk([PET]), createMemoryBulk([other]))).rejects.toThrow(
      'The target holds pets that the source does not, or that differ: 1.',
    )
    const [one, two] = await Promise.all(
      [PET, other].map((pet) => copy(createMemoryBulk([pet]), createMemoryBulk())),
    )
    expect(one?.checksum).not.toBe(two?.checksum)
  })

  it('copy handles signals between pages, even of databases without an event loop', async () => {
    let turns = 0
    let next = setImmediate(function count() {
      turns += 1
      next = setImmediate(count)
    })
    await copy(createMemoryBulk([PET]), createMemoryBulk())
    clearImmediate(next)
    expect(turns).toBeGreaterThan(0)
  })

  it('copy continues after an interruption, storing no pet again', async () => {
    const source = createMemoryBulk(petsUpTo(12_000))
    const target = createMemoryBulk()
    const writes: number[] = []
    const failing = (from: number): BulkAccess => ({
      ...target,
      async writePets(pets) {
        if (writes.length === from) throw new Error('cut off')
        writes.push(pets.length)
        await target.writePets(pets)
      },
    })
    await expect(copy(source, failing(1))).rejects.toThrow('cut off')
    expect(await copy(source, failing(Number.NaN))).toMatchObject({ pets: 12_000 })
    expect(writes).toEqual([5_000, 5_000, 2_000])
    expect(target.pets).toEqual(source.pets)
  })

  it('copy adds pets with lower ids that became visible while it ran', async () => {
    const source = createMemoryBulk(petsUpTo(12_000).filter(({ id }) => id !== 3n))
    const target = createMemoryBulk()
    let writes = 0
    const report = await copy(source, {
      ...target,
      async writePets(pets) {
        writes += 1
        if (writes === 1) source.pets.push(petsUpTo(3)[2] as Pet)
        await target.writePets(pets)
      },
    })
    expect(report.pets).toBe(12_000)
    expect(await target.readPets({ limit: 20_000 })).toEqual(petsUpTo(12_000))
  })

  it('copy stores exactly the missing pets, whatever the page size of the source is', async () => {
    const copyBetween = async (from: bigint[], to: bigint[], size: number) => {
      const of = (ids: bigint[]) =>
        createMemoryBulk(ids.map((id) => ({ ...REX, id, name: `Pet ${id}` })))
      const source = of(from)
      const target = of(to)
      const report = await copy(paged(source, size), target)
      expect(await target.readPets({ limit: 99 })).toEqual(await source.readPets({ limit: 99 }))
      return report
    }
    const ids = fc.uniqueArray(fc.bigInt(1n, 30n), { maxLength: 30 })
    const size = fc.integer({ min: 1, max: 9 })
    await fc.assert(
      fc.asyncProperty(ids, fc.array(fc.nat(29)), size, async (from, indexes, most) => {
        const to = [...new Set(indexes.flatMap((index) => from[index] ?? []))]
        const { pets, checksum } = await copyBetween(from, to, most)
        expect([pets, checksum]).toEqual([from.length, (await copyBetween(from, [], 99)).checksum])
      }),
    )
  })

  it('copy finds a pet that only the target has, and changes nothing', async () => {
    const size = fc.integer({ min: 1, max: 9 })
    await fc.assert(
      fc.asyncProperty(
        fc.bigInt(1n, 20n),
        fc.bigInt(1n, 20n),
        size,
        async (lost, missing, most) => {
          const source = createMemoryBulk(petsUpTo(20).filter(({ id }) => id !== lost))
          const target = createMemoryBulk(
            petsUpTo(20).filter(({ id }) => id === lost || id !== missing),
          )
          const before = [...target.pets]
          await expect(copy(paged(source, most), target)).rejects.toThrow(
            `or that differ: ${lost}.`,
          )
          expect(target.pets).toEqual(before)
        },
      ),
    )
  })

  it('copy rejects a source that changes during every comparison', async () => {
    const source = createMemoryBulk(petsUpTo(1))
    const target = createMemoryBulk()
    const endless = {
      ...target,
      async movePetIdsPast(id: bigint) {
        source.pets.push({ ...REX, id: BigInt(source.pets.length + 1) })
        await target.movePetIdsPast(id)
      },
    }
    await expect(copy(source, endless)).rejects.toThrow(
      'The source changed during each of 5 comparisons. Stop what writes to it, and run the ' +
        'command again.',
    )
  })

  const KEY: StoredApiKey = {
    id: 'key_1',
    sha256: 'ab',
    name: 'shop',
    scopes: ['pets:read'],
    createdAt: new Date(1),
  }

  it.each([
    ['was revoked', { revokedAt: new Date(5), revokedBy: 'Ada' }, {}],
    ['was used', { lastUsedAt: new Date(9) }, { lastUsedAt: new Date(5) }],
    [
      'was revoked in both',
      { revokedAt: new Date(5) },
      { revokedAt: new Date(9), revokedBy: 'Bob' },
    ],
  ])(
    'copy brings an API key to the state of the source, where it %s',
    async (_, fields, before) => {
      const key = { ...KEY, ...fields }
      const target = createMemoryBulk([], { apiKeys: [{ ...KEY, ...before }] })
      expect(await copy(createMemoryBulk([], { apiKeys: [key] }), target)).toMatchObject({
        apiKeys: 1,
      })
      expect(await target.readApiKeys()).toEqual([key])
    },
  )

  it.each([{ revokedAt: new Date(5) }, { id: 'key_2' }, { scopes: [] }, { sha256: 'cd' }])(
    'copy rejects a target with an API key that the source lacks or that differs: %o',
    async (fields) => {
      const key = { ...KEY, ...fields }
      const target = createMemoryBulk([], { apiKeys: [key] })
      const copying = copy(createMemoryBulk([], { apiKeys: [KEY] }), target)
      await expect(copying).rejects.toThrow('The target holds API keys that the source does not')
      expect(await target.readApiKeys()).toEqual([key])
    },
  )

  const IMPORT: PetImport = {
    id: 1n,
    sha256: 'ab',
    state: 'unfinished',
    lines: 5,
    changedAt: new Date(5),
  }

  it('copy brings over an import that began in the source during the comparison', async () => {
    const source = createMemoryBulk(petsUpTo(1))
    const target = createMemoryBulk(petsUpTo(1))
    let hasRest = false
    await copy(source, {
      ...target,
      async writePetImports(imports) {
        await target.writePetImports(imports)
        hasRest = true
      },
      async readPets(query) {
        if (hasRest) await source.writePetImports([IMPORT])
        return target.readPets(query)
      },
    })
    expect(await target.readPetImports()).toEqual([IMPORT])
  })

  it('copy rejects a target with imports that the source does not have', async () => {
    const later = { ...IMPORT, lines: 9, changedAt: new Date(9) }
    for (const petImports of [[{ ...IMPORT, id: 2n }], [later]]) {
      const target = createMemoryBulk([], { petImports })
      await expect(copy(createMemoryBulk([], { petImports: [IMPORT] }), target)).rejects.toThrow(
        'The target holds imports of files that the source does not',
      )
    }
  })
})
