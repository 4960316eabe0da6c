import assert from 'node:assert/strict'
import { PET_STATUSES, type Pet, type PetId, type PetRepository, type PetStatus } from '@pet-store/domain'
import { aNewPet } from '../a-new-pet.ts'
import type { ContractCase } from '../contract-case.ts'
import { listAll, MORE_THAN_ENOUGH } from './stored-pets.ts'

/** Only pets with exactly the wanted status. */
export const filteringCases: readonly ContractCase<PetRepository>[] = [
  {
    name: 'lists pets of every status and of none without a filter',
    async run(pets) {
      const added = await addMixedPets(pets)
      assert.deepEqual(await listAll(pets), added)
    },
  },
  ...PET_STATUSES.map((status) => ({
    name: `lists only pets with the status ${status}`,
    async run(pets: PetRepository) {
      const added = await addMixedPets(pets)
      assert.deepEqual(await pets.list({ status, limit: MORE_THAN_ENOUGH }), withStatus(added, status))
    },
  })),
  {
    name: 'matches a pet without a status with no filter',
    async run(pets) {
      await pets.add(aNewPet())
      for (const status of PET_STATUSES) assert.deepEqual(await pets.list({ status, limit: 20 }), [])
    },
  },
  {
    name: 'lists nothing for a status that no pet has',
    async run(pets) {
      await pets.add(aNewPet({ status: 'available' }))
      assert.deepEqual(await pets.list({ status: 'sold', limit: 20 }), [])
    },
  },
  {
    name: 'counts only matching pets towards the limit',
    async run(pets) {
      const sold = withStatus(await addMixedPets(pets), 'sold')
      assert.deepEqual(await pets.list({ status: 'sold', limit: 2 }), sold.slice(0, 2))
    },
  },
  {
    name: 'lists only matching pets after an id',
    async run(pets) {
      const sold = withStatus(await addMixedPets(pets), 'sold')
      const after = idAt(sold, 0)
      assert.deepEqual(await pets.list({ status: 'sold', after, limit: MORE_THAN_ENOUGH }), sold.slice(1))
    },
  },
  {
    name: 'lists matching pets after the id of a pet that does not match',
    async run(pets) {
      const added = await addMixedPets(pets)
      const after = idAt(withStatus(added, 'pending'), 1)
      const expected = withStatus(added, 'sold').filter((pet) => pet.id > after)
      assert.deepEqual(await pets.list({ status: 'sold', after, limit: MORE_THAN_ENOUGH }), expected)
    },
  },
  {
    name: 'joins filter, position and limit',
    async run(pets) {
      const sold = withStatus(await addMixedPets(pets), 'sold')
      const after = idAt(sold, 0)
      assert.deepEqual(await pets.list({ status: 'sold', after, limit: 1 }), sold.slice(1, 2))
    },
  },
]

/** Three rounds of one pet of each status and one of none, so that no status stands in one block. */
async function addMixedPets(pets: PetRepository): Promise<readonly Pet[]> {
  const added: Pet[] = []
  for (let round = 0; round < 3; round += 1) {
    for (const status of PET_STATUSES) added.push(await pets.add(aNewPet({ status })))
    added.push(await pets.add(aNewPet()))
  }
  return added
}

function withStatus(pets: readonly Pet[], status: PetStatus): readonly Pet[] {
  return pets.filter((pet) => pet.status === status)
}

function idAt(pets: readonly Pet[], index: number): PetId {
  const pet = pets.at(index)
  assert.ok(pet)
  return pet.id
}
