import { INT64, type PetId, type PetRepository } from '@pet-store/domain'
import { type ContractCase, casesOf } from '../case/contract-case.ts'
import { expectEqual } from '../case/expectations.ts'
import { addPets, aNewPet } from '../test-data/new-pets.ts'
import { idsOf, MORE_THAN_ENOUGH } from '../test-data/stored-pets.ts'

/** Only pets with a greater id than `after`, whether or not it exists. */
export const pagingCases: readonly ContractCase<PetRepository>[] = casesOf('pet.page', {
  'empty: lists nothing after any id when it is empty': async (pets) => {
    expectEqual(await pets.list({ after: 1n, limit: 20 }), [], 'the list must be empty')
  },
  'known: lists exactly the pets after each id': (pets) => expectPages(pets, (ids) => ids),
  'unknown: lists exactly the pets after any id, even one that no pet has': (pets) =>
    expectPages(pets, ([first = 0n, , , last = 0n]) => [
      first - 1n,
      last + 1n,
      0n,
      -1n,
      2n ** 53n + 1n,
    ]),
  'int64: lists exactly the pets after ids that do not fit into 32 bits': (pets) =>
    expectPages(pets, ([first = 0n, , , last = 0n]) => [
      ...[INT64.min, INT64.max],
      // Truncated these two would be the first and the last id.
      ...[first + 2n ** 32n, last - 2n ** 32n],
    ]),
  'walk: lists each pet once, page by page': async (pets) => {
    const added = await addPets(pets, 7)
    expectEqual(await walk(pets, 3, 3), idsOf(added), 'each pet must be on exactly one page')
  },
  'walk-while-adding: lists each pet once, page by page, while others are added': async (pets) => {
    const existing = idsOf(await addPets(pets, 9))
    // One new pet per page of two, so that the end is reached.
    const seen = await walk(pets, 2, 10, () => pets.add(aNewPet({ name: 'newcomer' })))
    expectEqual(new Set(seen).size, seen.length, 'no pet may be on two pages')
    expectEqual(
      seen.slice(0, existing.length),
      existing,
      'each pet that existed at the start must be on a page',
    )
  },
})

async function expectPages(
  pets: PetRepository,
  positionsFrom: (ids: readonly PetId[]) => readonly PetId[],
): Promise<void> {
  const added = await addPets(pets, 4)
  for (const after of positionsFrom(idsOf(added))) {
    const expected = added.filter((pet) => pet.id > after)
    expectEqual(
      await pets.list({ after, limit: MORE_THAN_ENOUGH }),
      expected,
      `exactly the pets after ${after}`,
    )
  }
}

/** The ids on all pages, or on the first pages of a repository whose pages never end. */
async function walk(
  pets: PetRepository,
  limit: number,
  maxPages: number,
  meanwhile: () => Promise<unknown> = async () => undefined,
): Promise<readonly PetId[]> {
  const seen: PetId[] = []
  for (let page = 0; page < maxPages; page += 1) {
    const last = seen.at(-1)
    const [found] = await Promise.all([
      pets.list(last === undefined ? { limit } : { after: last, limit }),
      meanwhile(),
    ])
    if (found.length === 0) break
    seen.push(...idsOf(found))
  }
  return seen
}
