import assert from 'node:assert/strict'
import { INT64, type PetId, type PetRepository } from '@pet-store/domain'
import type { ContractCase } from '../contract-case.ts'
import { addPets, idsOf } from './stored-pets.ts'

/** Ids of nobody, some of which become somebody's id when they are rounded or cut to 32 bits on the way. */
const UNKNOWN_IDS: Readonly<Record<string, (last: PetId) => PetId>> = {
  'the id 0': () => 0n,
  'the id -1': () => -1n,
  'the id 2^53+1': () => 2n ** 53n + 1n,
  'the greatest int64': () => INT64.max,
  'the smallest int64': () => INT64.min,
  'the neighbour of an existing id': (last) => last + 1n,
  'an existing id with another sign': (last) => -last,
  'an existing id and 2^32': (last) => last + 2n ** 32n,
  'an existing id and 2^53': (last) => last + 2n ** 53n,
}

/** A pet by its id, and nothing, without an error, for any other id. */
export const findingCases: readonly ContractCase<PetRepository>[] = [
  {
    name: 'finds each pet by its own id',
    async run(pets) {
      const added = await addPets(pets, 5)
      for (const pet of added.toReversed()) assert.deepEqual(await pets.find(pet.id), pet)
    },
  },
  {
    name: 'finds nothing in an empty storage',
    async run(pets) {
      assert.equal(await pets.find(1n), undefined)
    },
  },
  ...Object.entries(UNKNOWN_IDS).map(([description, unknownFrom]) => ({
    name: `finds nothing under ${description}`,
    async run(pets: PetRepository) {
      const ids = idsOf(await addPets(pets, 3))
      const id = unknownFrom(ids.at(-1) as PetId)
      // Ids are the storage's own choice; one that uses this id has nothing to show here.
      if (!ids.includes(id)) assert.equal(await pets.find(id), undefined)
    },
  })),
]
