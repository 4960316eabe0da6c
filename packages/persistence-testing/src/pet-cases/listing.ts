import type { PetRepository } from '@pet-store/domain'
import { type ContractCase, casesOf, expectEqual } from '../contract-case.ts'
import { addManyPets, addPets, aNewPet, ascending, idsOf, listAll } from '../new-pets.ts'

/** Limits for a list of five pets. The use case requests one more than a page has, so 101 is an everyday value. */
const LIMITS: Readonly<Record<string, readonly [limit: number, expected: number]>> = {
  'one pet for a limit of 1': [1, 1],
  'all but one for a limit one below their number': [4, 4],
  'all for a limit of their number': [5, 5],
  'all for a limit one above their number': [6, 5],
  'all for a limit of 101': [101, 5],
  'all for the greatest limit': [Number.MAX_SAFE_INTEGER, 5],
}

const SLOW = { group: 'pet.list', timeLimitMs: 60_000 }

/** Pets by ascending id, at most `limit`. */
export const listingCases: readonly ContractCase<PetRepository>[] = [
  ...casesOf<PetRepository>('pet.list', {
    'empty: lists nothing when it is empty': async (pets) => {
      expectEqual(await pets.list({ limit: 20 }), [], 'the list must be empty')
    },
    'ascending: lists by ascending id, 10 after 9': async (pets) => {
      const added = await addPets(pets, 12)
      expectEqual(await listAll(pets), added, 'pets must be listed by ascending id')
    },
    'ascending-concurrent: lists by ascending id even what was added at the same time': async (pets) => {
      const added = await Promise.all(Array.from({ length: 20 }, () => pets.add(aNewPet())))
      expectEqual(idsOf(await listAll(pets)), ascending(idsOf(added)), 'pets must be listed by ascending id')
    },
  }),
  ...casesOf<PetRepository>(SLOW, {
    'more-than-1000: lists and walks through more than 1,000 pets': async (pets) => {
      const added = await addManyPets(pets, 1003)
      for (const limit of [101, 257, 1001, 1002]) {
        expectEqual(await pets.list({ limit }), added.slice(0, limit), `the first ${limit} of 1,003 pets`)
      }
      expectEqual(await pets.list({ limit: 2000 }), added, 'all 1,003 pets for a limit of 2,000')
      const after = added[256]?.id ?? 0n
      expectEqual(await pets.list({ after, limit: 2000 }), added.slice(257), 'the pets after the 257th')
    },
    'long-names: lists pages of more than 2 MiB of names': async (pets) => {
      const added = await addManyPets(pets, 600, (index) => ({ name: `${index} ${'🐕'.repeat(990)}` }))
      expectEqual(idsOf(await listAll(pets)), idsOf(added), 'all 600 pets')
    },
  }),
  ...casesOf<PetRepository>(
    'pet.list.limit',
    Object.entries(LIMITS).map(([description, [limit, expected]]) => [
      `${limit}-of-5: lists ${description}`,
      async (pets) => {
        const added = await addPets(pets, 5)
        expectEqual(await pets.list({ limit }), added.slice(0, expected), `a limit of ${limit} with 5 pets`)
      },
    ]),
  ),
]
