import assert from 'node:assert/strict'
import { INT64, type NewPet, type PetInput, type PetRepository } from '@pet-store/domain'
import { aNewPet } from '../a-new-pet.ts'
import type { ContractCase } from '../contract-case.ts'
import { addPets, ascending, idsOf, listAll } from './stored-pets.ts'

/** Ids grow and are never given twice, and an add happens wholly or not at all. */
export const addingCases: readonly ContractCase<PetRepository>[] = [
  {
    name: 'gives ids as bigint within int64',
    async run(pets) {
      for (const id of idsOf(await addPets(pets, 3))) {
        assert.equal(typeof id, 'bigint')
        assert.ok(id >= INT64.min && id <= INT64.max, `${id} is not an int64`)
      }
    },
  },
  {
    name: 'gives a greater id to each later pet',
    async run(pets) {
      const ids = idsOf(await addPets(pets, 12))
      assert.deepEqual(ids, ascending(ids))
      assert.equal(new Set(ids).size, 12)
    },
  },
  {
    name: 'makes two pets of two equal ones',
    async run(pets) {
      const first = await pets.add(aNewPet())
      const second = await pets.add(aNewPet())
      assert.deepEqual(await listAll(pets), [first, second])
      assert.notEqual(first.id, second.id)
    },
  },
  {
    name: 'gives different ids to pets added at the same time',
    async run(pets) {
      const added = await Promise.all(manyNames(30).map((name) => pets.add(aNewPet({ name }))))
      assert.equal(new Set(idsOf(added)).size, 30)
    },
  },
  {
    name: 'stores all pets added at the same time, each under its own id',
    async run(pets) {
      const names = manyNames(30)
      const added = await Promise.all(names.map((name) => pets.add(aNewPet({ name }))))
      assert.deepEqual(
        added.map((pet) => pet.name),
        names,
      )
      const byId = new Map(added.map((pet) => [pet.id, pet]))
      assert.deepEqual(
        await listAll(pets),
        ascending(idsOf(added)).map((id) => byId.get(id)),
      )
    },
  },
  {
    name: 'gives each of several callers at once growing ids',
    async run(pets) {
      const callers = await Promise.all([1, 2, 3, 4].map(() => addPets(pets, 6)))
      for (const ids of callers.map(idsOf)) assert.deepEqual(ids, ascending(ids))
    },
  },
  {
    // Whoever stores a field must read it, so that this add fails in every adapter.
    name: 'stores nothing when an add is rejected, and goes on',
    async run(pets) {
      const before = await pets.add(aNewPet({ name: 'before' }))
      for (const field of ['name', 'categoryId', 'status'] as const) {
        await assert.rejects(
          async () => pets.add(unreadable(field)),
          `add must be rejected when ${field} cannot be read`,
        )
      }
      const after = await pets.add(aNewPet({ name: 'after' }))
      assert.deepEqual(await listAll(pets), [before, after])
      assert.ok(after.id > before.id)
    },
  },
  {
    // Databases refuse some of these pets, this process none. Whichever it is, the answer to `add` must tell the truth.
    name: 'stores exactly the pets whose add is fulfilled when others fail at the same time',
    async run(pets) {
      const unlawful = [{ categoryId: 1n }, { name: 'Rex', categoryId: INT64.max + 1n }] as unknown as NewPet[]
      const tried = [...lawfulPets(5), ...unlawful, unreadable('name'), ...lawfulPets(5)]
      const results = await Promise.allSettled(tried.map(async (pet) => pets.add(pet)))
      const stored = results.filter((result) => result.status === 'fulfilled').map((result) => result.value)
      const lawful = stored.filter((pet) => pet.name?.startsWith('lawful'))
      assert.equal(lawful.length, 10, 'an add must not fail because another one does')
      assert.deepEqual(idsOf(await listAll(pets)), ascending(idsOf(stored)))
    },
  },
]

function manyNames(count: number): readonly string[] {
  return Array.from({ length: count }, (_, index) => `Pet ${index}`)
}

function lawfulPets(count: number): readonly NewPet[] {
  return manyNames(count).map((name) => aNewPet({ name: `lawful ${name}` }))
}

function unreadable(field: keyof PetInput): NewPet {
  const pet = { ...aNewPet({ status: 'sold' }) }
  return Object.defineProperty(pet, field, {
    enumerable: true,
    get() {
      throw new Error(`${field} cannot be read`)
    },
  })
}
