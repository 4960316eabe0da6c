import type { PetRepository } from '@pet-store/domain'
import { type ContractCase, casesOf, expectEqual } from '../contract-case.ts'
import { addManyPets, addPets, aNewPet, ascending, idsOf, listAll } from '../new-pets.ts'

const GROUP = { group: 'pet.list', timeLimitMs: 60_000 }

/** Pets by ascending id, at most `limit`. */
export const listingCases: readonly ContractCase<PetRepository>[] = casesOf(GROUP, {
  'empty: lists nothing when it is empty': async (pets) => {
    expectEqual(await pets.list({ limit: 20 }), [], 'the list must be empty')
  },
  'ascending: lists by ascending id, 10 after 9, even what was added at the same time': async (
    pets,
  ) => {
    const added = [...(await addPets(pets, 12))]
    expectEqual(await listAll(pets), added, 'pets must be listed by ascending id')
    added.push(...(await Promise.all(Array.from({ length: 20 }, () => pets.add(aNewPet())))))
    expectEqual(
      idsOf(await listAll(pets)),
      ascending(idsOf(added)),
      'pets must be listed by ascending id',
    )
  },
  'limit: lists as many pets as there are, up to any limit': async (pets) => {
    const added = await addPets(pets, 5)
    // The use case requests one more than a page has, so 101 is an everyday value.
    for (const limit of [1, 4, 5, 6, 101, Number.MAX_SAFE_INTEGER]) {
      expectEqual(
        await pets.list({ limit }),
        added.slice(0, limit),
        `a limit of ${limit} with 5 pets`,
      )
    }
  },
  'more-than-1000: lists and walks through more than 1,000 pets': async (pets) => {
    const added = await addManyPets(pets, 1003)
    for (const limit of [101, 257, 1001, 1002, 2000]) {
      expectEqual(
        await pets.list({ limit }),
        added.slice(0, limit),
        `a limit of ${limit} with 1,003 pets`,
      )
    }
    const after = added[256]?.id ?? 0n
    expectEqual(
      await pets.list({ after, limit: 2000 }),
      added.slice(257),
      'the pets after the 257th',
    )
  },
  'long-names: lists pages of more than 2 MiB of names': async (pets) => {
    const added = await addManyPets(pets, 600, (index) => ({
      name: `${index} ${'🐕'.repeat(990)}`,
    }))
    expectEqual(idsOf(await listAll(pets)), idsOf(added), 'all 600 pets')
  },
})
