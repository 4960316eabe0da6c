import assert from 'node:assert/strict'
import type { PetRepository } from '@pet-store/domain'
import { aNewPet } from '../a-new-pet.ts'
import type { ContractCase } from '../contract-case.ts'
import { addPets, ascending, idsOf, listAll } from './stored-pets.ts'

/** How many are asked for, of five. The use case asks for one more than a page holds, so 101 is an everyday value. */
const LIMITS: Readonly<Record<string, { readonly limit: number; readonly expected: number }>> = {
  'one pet for a limit of 1': { limit: 1, expected: 1 },
  'all but one for a limit one below their number': { limit: 4, expected: 4 },
  'all for a limit of their number': { limit: 5, expected: 5 },
  'all for a limit one above their number': { limit: 6, expected: 5 },
  'all for a limit of 101': { limit: 101, expected: 5 },
  'all for the greatest limit': { limit: Number.MAX_SAFE_INTEGER, expected: 5 },
}

/** Pets by ascending id, at most `limit`. */
export const listingCases: readonly ContractCase<PetRepository>[] = [
  {
    name: 'lists nothing when it is empty',
    async run(pets) {
      assert.deepEqual(await pets.list({ limit: 20 }), [])
    },
  },
  {
    name: 'lists by ascending id, 10 after 9',
    async run(pets) {
      const added = await addPets(pets, 12)
      assert.deepEqual(await listAll(pets), added)
    },
  },
  {
    name: 'lists by ascending id also what was added at the same time',
    async run(pets) {
      const added = await Promise.all(Array.from({ length: 20 }, () => pets.add(aNewPet())))
      assert.deepEqual(idsOf(await listAll(pets)), ascending(idsOf(added)))
    },
  },
  {
    name: 'lists more than a hundred pets when asked to',
    async run(pets) {
      const added = await addPets(pets, 102)
      assert.deepEqual(await pets.list({ limit: 101 }), added.slice(0, 101))
    },
  },
  ...Object.entries(LIMITS).map(([description, { limit, expected }]) => ({
    name: `lists ${description}`,
    async run(pets: PetRepository) {
      const added = await addPets(pets, 5)
      assert.deepEqual(await pets.list({ limit }), added.slice(0, expected))
    },
  })),
]
