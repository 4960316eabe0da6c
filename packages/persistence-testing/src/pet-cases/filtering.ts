import {
  INT64,
  PET_STATUSES,
  type Pet,
  type PetRepository,
  type PetStatus,
} from '@pet-store/domain'
import { type ContractCase, casesOf } from '../case/contract-case.ts'
import { expectEqual } from '../case/expectations.ts'
import { GREAT_LIMITS, LIMITS } from '../test-data/list-limits.ts'
import { addKeyed, addManyPets, aNewPet } from '../test-data/new-pets.ts'
import { listAll, MORE_THAN_ENOUGH } from '../test-data/stored-pets.ts'

const GROUP = { group: 'pet.filter', timeLimitMs: 60_000 }

/** With the others more than an adapter looks at that gives up after 2,000 pets. */
const RARE_AFTER = 1_100

/** Only pets with exactly the requested status. */
export const filteringCases: readonly ContractCase<PetRepository>[] = casesOf(GROUP, {
  'none: lists pets of every status and of none without a filter': async (pets) => {
    const added = await addMixedPets(pets)
    expectEqual(await listAll(pets), added, 'a list without a filter must contain all pets')
  },
  'status: lists exactly the pets of each status': async (pets) => {
    const added = await addMixedPets(pets)
    for (const status of PET_STATUSES) {
      const found = await pets.list({ status, limit: MORE_THAN_ENOUGH })
      expectEqual(found, withStatus(added, status), `exactly the pets that are ${status}`)
    }
  },
  'no-match: lists nothing for a status that no pet has': async (pets) => {
    await pets.add(aNewPet())
    await pets.add(aNewPet({ status: 'available' }))
    for (const status of ['sold', 'pending'] as const) {
      expectEqual(await pets.list({ status, limit: 20 }), [], `the pets that are ${status}`)
    }
  },
  'limit: counts only matching pets towards the limit': async (pets) => {
    const sold = withStatus(await addMixedPets(pets), 'sold')
    expectEqual(
      await pets.list({ status: 'sold', limit: 2 }),
      sold.slice(0, 2),
      'the first two sold pets',
    )
  },
  'after: lists matching pets after the id of any pet, up to any limit': async (pets) => {
    const added = await addMixedPets(pets)
    for (const { id: after, status = 'no status' } of added) {
      for (const wanted of PET_STATUSES) {
        const expected = withStatus(added, wanted).filter((pet) => pet.id > after)
        for (const limit of [1, MORE_THAN_ENOUGH]) {
          const found = await pets.list({ status: wanted, after, limit })
          expectEqual(
            found,
            expected.slice(0, limit),
            `at most ${limit} pets that are ${wanted}, after ${after} (${status})`,
          )
        }
      }
    }
    const [first = 0n, last = 0n] = [added[0]?.id, added.at(-1)?.id]
    for (const after of [INT64.min, first - 5n, first - 1n, last + 1n, last + 5n, INT64.max]) {
      const expected = withStatus(added, 'sold').filter((pet) => pet.id > after)
      const found = await pets.list({ status: 'sold', after, limit: MORE_THAN_ENOUGH })
      expectEqual(found, expected, `the sold pets after ${after}, which no pet has`)
    }
  },
  'more-than-1000: lists the pets of a status beyond the first 1,000 pets': async (pets) => {
    const added = await addManyPets(pets, 1_100, (index) => ({
      status: index % 50 === 0 ? 'sold' : 'available',
    }))
    const sold = withStatus(added, 'sold')
    expectEqual(
      await pets.list({ status: 'sold', limit: MORE_THAN_ENOUGH }),
      sold,
      'all 22 sold pets',
    )
    const available = withStatus(added, 'available')
    for (const limit of [...LIMITS, ...GREAT_LIMITS]) {
      expectEqual(
        await pets.list({ status: 'available', limit }),
        available.slice(0, limit),
        `a limit of ${limit} with 1,078 available pets`,
      )
    }
    const rest = await pets.list({
      status: 'available',
      after: available[999]?.id ?? 0n,
      limit: 101,
    })
    expectEqual(rest, available.slice(1_000), 'the available pets after the first 1,000')
    await expectRareFound(pets)
  },
})

/** Far from the first pets, the only one of its status is found, however short the page is. */
async function expectRareFound(pets: PetRepository): Promise<void> {
  await addManyPets(pets, RARE_AFTER)
  const rare = await pets.add(aNewPet({ status: 'pending' }))
  for (const limit of [1, 20, MORE_THAN_ENOUGH])
    expectEqual(
      await pets.list({ status: 'pending', limit }),
      [rare],
      `the only pending pet, with a limit of ${limit}`,
    )
  expectEqual(
    await pets.list({ status: 'pending', after: rare.id, limit: 1 }),
    [],
    'the pending pets after the only one',
  )
}

/**
 * Three rounds of one pet of each status and one of none, so that pets of a status are not in one
 * block.
 */
async function addMixedPets(pets: PetRepository): Promise<readonly Pet[]> {
  const added: Pet[] = []
  for (let round = 0; round < 3; round += 1) {
    for (const status of PET_STATUSES) {
      const pet = aNewPet({ status })
      added.push(await (round === 1 ? addKeyed(pets, pet) : pets.add(pet)))
    }
    added.push(await pets.add(aNewPet()))
  }
  return added
}

function withStatus(pets: readonly Pet[], status: PetStatus): readonly Pet[] {
  return pets.filter((pet) => pet.status === status)
}
