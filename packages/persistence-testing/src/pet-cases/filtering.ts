import assert from 'node:assert/strict'
import { PET_STATUSES, type Pet, type PetId, type PetRepository, type PetStatus } from '@pet-store/domain'
import { type ContractCase, casesOf, expectEqual } from '../contract-case.ts'
import { addManyPets, aNewPet, listAll, MORE_THAN_ENOUGH } from '../new-pets.ts'

const SLOW = { group: 'pet.filter', timeLimitMs: 60_000 }

/** Only pets with exactly the requested status. */
export const filteringCases: readonly ContractCase<PetRepository>[] = [
  ...casesOf<PetRepository>('pet.filter', {
    'none: lists pets of every status and of none without a filter': async (pets) => {
      const added = await addMixedPets(pets)
      expectEqual(await listAll(pets), added, 'a list without a filter must contain all pets')
    },
  }),
  ...casesOf<PetRepository>(
    'pet.filter.status',
    PET_STATUSES.map((status) => [
      `${status}: lists only pets with the status ${status}`,
      async (pets) => {
        const expected = withStatus(await addMixedPets(pets), status)
        const found = await pets.list({ status, limit: MORE_THAN_ENOUGH })
        expectEqual(found, expected, `exactly the pets that are ${status}`)
      },
    ]),
  ),
  ...casesOf<PetRepository>('pet.filter', {
    'without-status: lists a pet without a status with no filter': async (pets) => {
      await pets.add(aNewPet())
      for (const status of PET_STATUSES) {
        expectEqual(
          await pets.list({ status, limit: 20 }),
          [],
          `a pet without a status must not be listed as ${status}`,
        )
      }
    },
    'no-match: lists nothing for a status that no pet has': async (pets) => {
      await pets.add(aNewPet({ status: 'available' }))
      expectEqual(await pets.list({ status: 'sold', limit: 20 }), [], 'the list must be empty')
    },
    'limit: counts only matching pets towards the limit': async (pets) => {
      const sold = withStatus(await addMixedPets(pets), 'sold')
      expectEqual(await pets.list({ status: 'sold', limit: 2 }), sold.slice(0, 2), 'the first two sold pets')
    },
    'after: lists only matching pets after an id': async (pets) => {
      const sold = withStatus(await addMixedPets(pets), 'sold')
      const found = await pets.list({ status: 'sold', after: idAt(sold, 0), limit: MORE_THAN_ENOUGH })
      expectEqual(found, sold.slice(1), 'all sold pets after the first one')
    },
    'after-other: lists matching pets after the id of a pet that does not match': async (pets) => {
      const added = await addMixedPets(pets)
      const after = idAt(withStatus(added, 'pending'), 1)
      const expected = withStatus(added, 'sold').filter((pet) => pet.id > after)
      const found = await pets.list({ status: 'sold', after, limit: MORE_THAN_ENOUGH })
      expectEqual(found, expected, `the sold pets after the pending pet ${after}`)
    },
  }),
  ...casesOf<PetRepository>(SLOW, {
    'more-than-1000: lists the pets of a status beyond the first 1,000 pets': async (pets) => {
      const added = await addManyPets(pets, 1_100, (index) => ({ status: index % 50 === 0 ? 'sold' : 'available' }))
      const sold = withStatus(added, 'sold')
      expectEqual(await pets.list({ status: 'sold', limit: MORE_THAN_ENOUGH }), sold, 'all 22 sold pets')
      const available = withStatus(added, 'available')
      expectEqual(await pets.list({ status: 'available', limit: 2_000 }), available, 'all 1,078 available pets')
      const rest = await pets.list({ status: 'available', after: idAt(available, 999), limit: 101 })
      expectEqual(rest, available.slice(1_000), 'the available pets after the first 1,000')
    },
  }),
  ...casesOf<PetRepository>('pet.filter', {
    'all: combines filter, position and limit': async (pets) => {
      const sold = withStatus(await addMixedPets(pets), 'sold')
      const found = await pets.list({ status: 'sold', after: idAt(sold, 0), limit: 1 })
      expectEqual(found, sold.slice(1, 2), 'the second sold pet')
    },
  }),
]

/** Three rounds of one pet of each status and one of none, so that pets of a status are not in one block. */
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
