import { inspect } from 'node:util'
import {
  PAGE_LIMIT,
  PET_STATUSES,
  type Pet,
  type PetId,
  type PetRepository,
} from '@pet-store/domain'
import { type ContractCase, casesOf } from '../case/contract-case.ts'
import { expectEqual } from '../case/expectations.ts'
import { inGroups } from '../case/in-groups.ts'
import { aTurnLater } from '../case/wait.ts'
import { GREAT_LIMITS, LIMITS } from '../test-data/list-limits.ts'
import { addKeyed, addManyPets, addPets, aNewPet } from '../test-data/new-pets.ts'
import { ascending, idsOf, listAll, MORE_THAN_ENOUGH } from '../test-data/stored-pets.ts'

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
    for (const limit of [1, 4, 5, 6, 101, ...GREAT_LIMITS]) {
      expectEqual(
        await pets.list({ limit }),
        added.slice(0, limit),
        `a limit of ${limit} with 5 pets`,
      )
    }
  },
  'undefined: takes an undefined status and position as absent': async (pets) => {
    const added = [await pets.add(aNewPet()), await pets.add(aNewPet({ status: 'sold' }))]
    const [first = 0n] = idsOf(added)
    for (const [query, expected] of [
      [{ status: undefined, after: undefined }, added],
      [{ status: undefined, after: first }, added.slice(1)],
      [{ status: 'sold', after: undefined }, added.slice(1)],
      [{ after: undefined }, added],
      [{ status: undefined }, added],
    ] as const) {
      expectEqual(
        await pets.list({ ...query, limit: 20 }),
        expected,
        `the pets of ${Object.keys(query).join(' and ')} that are given as undefined`,
      )
    }
  },
  'read-again: contains what was added since the same page was read before': async (pets) => {
    const first = await pets.add(aNewPet({ status: 'sold' }))
    const added = [first]
    for (let round = 0; round < 6; round += 1) {
      const pet = aNewPet({ status: 'sold' })
      await expectPages(pets, added)
      added.push(await (round % 2 === 0 ? pets.add(pet) : addKeyed(pets, pet)))
      await expectPages(pets, added)
    }
  },
  'concurrent: gives each of several reads at the same time what it asked for': async (pets) => {
    const added: Pet[] = []
    for (const status of [undefined, ...PET_STATUSES, ...PET_STATUSES])
      added.push(await pets.add(aNewPet({ status })))
    const queries = [undefined, ...PET_STATUSES].flatMap((status) =>
      [undefined, 0n, ...idsOf(added).slice(0, 3)].flatMap((after) =>
        [1, 2, 101].map((limit) => ({ status, after, limit })),
      ),
    )
    const expectFound = async (id: PetId) => {
      const expected = added.find((pet) => pet.id === id)
      expectEqual(await pets.find(id), expected, `the pet ${id}, found beside other reads`)
    }
    const unknown = (added.at(-1)?.id ?? 0n) + 1n
    // Two of them, three, and many: the answers of a group may be given to each other's calls.
    for (const size of [2, 3, 20]) {
      await inGroups(
        queries.length,
        async (index) => {
          const { status, after, limit } = queries[index] as (typeof queries)[number]
          const expected = added
            .filter((pet) => status === undefined || pet.status === status)
            .filter(({ id }) => after === undefined || id > after)
            .slice(0, limit)
          const name = `${limit} pets after ${after} that are ${status}, beside other reads`
          expectEqual(await pets.list({ status, after, limit }), expected, name)
        },
        size,
      )
      const ids = [...idsOf(added).toReversed(), unknown]
      await inGroups(ids.length, (index) => expectFound(ids[index] ?? 0n), size)
    }
  },
  'beside-adds: returns whole pets, each once and by ascending id, while others are added': async (
    pets,
  ) => {
    const seen = new Map<PetId, Pet>()
    const expectWhole = (listed: readonly Pet[]) => {
      expectEqual(
        idsOf(listed),
        ascending([...new Set(idsOf(listed))]),
        'the ids of a list must ascend, each once',
      )
      for (const pet of listed) {
        expectEqual(pet, seen.get(pet.id) ?? pet, 'a pet must not change between two reads')
        seen.set(pet.id, pet)
      }
    }
    const added: Pet[] = []
    let hasEnded = false
    const adding = Array.from({ length: 4 }, async (_, adder) => {
      for (let count = 0; count < 12; count += 1) {
        const categoryId = BigInt(added.length + 2)
        const pet = aNewPet({ name: `${adder} ${count}`, categoryId, status: 'sold' })
        added.push(await (count % 2 === 0 ? pets.add(pet) : addKeyed(pets, pet)))
      }
    })
    const reading = ([{}, { status: 'sold' }, {}] as const).map(async (query) => {
      for (let reads = 1; !hasEnded; reads += 1) {
        // An adapter that reads from memory would leave the adds no turn of the event loop.
        if (reads % 8 === 0) await aTurnLater()
        const listed = await pets.list({ ...query, limit: MORE_THAN_ENOUGH })
        expectWhole(listed)
        // One of these may be the next.
        const last = listed.at(-1)?.id ?? 0n
        const next = await Promise.all([1n, 2n, 3n].map((offset) => pets.find(last + offset)))
        expectWhole(next.filter((pet) => pet !== undefined))
      }
    })
    const allAdded = Promise.all(adding).finally(() => {
      hasEnded = true
    })
    await Promise.all([allAdded, ...reading])
    for (const pet of added)
      expectEqual(
        seen.get(pet.id) ?? pet,
        pet,
        'a pet that was read while it was added must be as add has returned it',
      )
  },
  'more-than-1000: lists more than 1,000 pets, at once and page by page': async (pets) => {
    const added = await addManyPets(pets, 1003)
    for (const limit of LIMITS) {
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
      'list must return the pets after the 257th',
    )
  },
  'long-names: lists pages of more than 2 MiB of names': async (pets) => {
    const added = await addManyPets(pets, 600, (index) => ({
      name: `${index} ${'🐕'.repeat(990)}`,
    }))
    expectEqual(idsOf(await listAll(pets)), idsOf(added), 'list must return all 600 pets')
  },
})

/** The service requests one pet more than a page has, so the latter are its usual limits. */
const USUAL_LIMITS = [20, PAGE_LIMIT.default + 1, PAGE_LIMIT.max + 1]

/** Every kind of page of pets that are all sold. */
async function expectPages(pets: PetRepository, all: readonly Pet[]): Promise<void> {
  const [first] = all as [Pet]
  for (const limit of USUAL_LIMITS) {
    for (const query of [{}, { status: 'sold' }, { after: first.id - 1n }] as const)
      expectEqual(
        await pets.list({ ...query, limit }),
        all,
        `list must return all pets for ${inspect({ ...query, limit })}`,
      )
    for (const query of [{ after: first.id }, { after: first.id, status: 'sold' }] as const)
      expectEqual(
        await pets.list({ ...query, limit }),
        all.slice(1),
        `list must return all pets but the first for ${inspect({ ...query, limit })}`,
      )
  }
}
