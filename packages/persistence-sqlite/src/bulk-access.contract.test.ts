import { aNewPet } from '@pet-store/persistence-testing'
import { expect, it } from 'vitest'
import { openSqliteBulkAccess } from './bulk-access.ts'

// The contract of persistence adapters tests everything else about bulk access.
it('bulk writes at the same time are each stored completely or not at all', async () => {
  const bulk = await openSqliteBulkAccess({ url: 'sqlite::memory:', mode: 'migrate' })
  const changedAt = new Date(0)
  const to = { id: 1n, sha256: 'a'.repeat(64), state: 'finished', lines: 1, changedAt } as const
  const unreadable = { ...aNewPet(), name: undefined as unknown as string }
  const results = await Promise.allSettled([
    bulk.addPets([aNewPet({ name: 'a' }), unreadable], { to }),
    bulk.addPets([aNewPet({ name: 'b' })], { to }),
    bulk.writePetImports([{ ...to, id: 2n }]),
    bulk.addPets([aNewPet({ name: 'c' })], { from: to, to: { ...to, lines: 2 } }),
    bulk.addPets([aNewPet({ name: 'd' }), unreadable]),
    bulk.movePetIdsPast(70n),
  ])

  expect(results.map(({ status }) => status)).toEqual([
    'rejected',
    ...['fulfilled', 'fulfilled', 'fulfilled'],
    'rejected',
    'fulfilled',
  ])
  const stored = await bulk.readPets({ limit: 10 })
  expect(stored.map(({ name }) => name)).toEqual(['b', 'c'])
  expect((await bulk.readPetImports()).map(({ id, lines }) => [id, lines])).toEqual([
    [1n, 2],
    [2n, 1],
  ])
  expect(await bulk.lastPetId()).toBe(70n)
  await bulk.close()
})
