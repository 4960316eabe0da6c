import { join } from 'node:path'
import type { PetImport } from '@pet-store/persistence'
import { aNewPet } from '@pet-store/persistence-testing'
import { temporaryFolder } from '@pet-store/testing'
import Database from 'better-sqlite3'
import { expect, it, onTestFinished } from 'vitest'
import { openSqliteBulkAccess } from './bulk-access.ts'

// The contract of persistence adapters tests everything else about bulk access.
it('bulk writes at the same time are each stored completely or not at all', async () => {
  const bulk = await openSqliteBulkAccess({ url: 'sqlite::memory:', mode: 'migrate' })
  const to = anImport()
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

it('bulk access stores nothing if a trigger leaves a pet out', async () => {
  const path = join(await temporaryFolder(), 'pets.db')
  const bulk = await openSqliteBulkAccess({ url: `sqlite:${path}`, mode: 'migrate' })
  const operator = new Database(path)
  operator.exec(`create trigger rule before insert on pet when new.name = 'b'
    begin select raise(ignore); end`)
  operator.close()
  const pets = ['a', 'b', 'c'].map((name) => aNewPet({ name }))
  await expect(bulk.addPets(pets)).rejects.toThrow('leaves 1 of 3 rows out')
  const withIds = pets.map((pet, index) => ({ ...pet, id: BigInt(index + 1) }))
  await expect(bulk.writePets(withIds)).rejects.toThrow('leaves 1 of 3 rows out')
  expect(await bulk.countPets()).toBe(0)
  await bulk.close()
})

it('bulk reads see nothing of a write that runs beside them and is rolled back', async () => {
  const bulk = await openSqliteBulkAccess({ url: 'sqlite::memory:', mode: 'migrate' })
  onTestFinished(() => bulk.close())
  const unreadable = { ...aNewPet(), name: undefined as unknown as string }
  // The write begins at a different point of the reads in each round.
  for (let delay = 0; delay < 100; delay += 1) {
    const reads = [
      ...[bulk.countPets(), bulk.lastPetId(), bulk.readPets({ limit: 9 })],
      ...[bulk.readPetImports(), bulk.readIdempotencyKeys(9), bulk.readApiKeys()],
    ]
    for (let turn = 0; turn < delay; turn += 1) await Promise.resolve()
    await expect(bulk.addPets([aNewPet(), unreadable], { to: anImport() })).rejects.toThrow()
    expect(await Promise.all(reads)).toEqual([0, 0n, [], [], [], []])
  }
})

function anImport(): PetImport {
  return { id: 1n, sha256: 'a'.repeat(64), state: 'finished', lines: 1, changedAt: new Date(0) }
}
