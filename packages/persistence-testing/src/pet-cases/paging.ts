import { INT64, type PetId, type PetRepository } from '@pet-store/domain'
import { type ContractCase, casesOf, expectEqual } from '../contract-case.ts'
import { addPets, aNewPet, idsOf, MORE_THAN_ENOUGH } from '../new-pets.ts'

/** Positions, made from the ids that exist. Most of them are not the id of a pet. */
const POSITIONS: Readonly<Record<string, (first: PetId, last: PetId) => PetId>> = {
  'before-first: lists exactly the pets after the id before the first': (first) => first - 1n,
  'first: lists exactly the pets after the first id': (first) => first,
  'last: lists exactly the pets after the last id': (_, last) => last,
  'after-last: lists exactly the pets after the id after the last': (_, last) => last + 1n,
  'zero: lists exactly the pets after 0': () => 0n,
  'minus-one: lists exactly the pets after -1': () => -1n,
  'beyond-double: lists exactly the pets after 2^53+1': () => 2n ** 53n + 1n,
  'int64-min: lists exactly the pets after the smallest int64': () => INT64.min,
  'int64-max: lists exactly the pets after the greatest int64': () => INT64.max,
  // Truncated to 32 bits these two would be the first and the last id.
  'first-plus-2-32: lists exactly the pets after the first id plus 2^32': (first) => first + 2n ** 32n,
  'last-minus-2-32: lists exactly the pets after the last id minus 2^32': (_, last) => last - 2n ** 32n,
}

/** Only pets with a greater id than `after`, whether or not it exists. */
export const pagingCases: readonly ContractCase<PetRepository>[] = [
  ...casesOf<PetRepository>(
    'pet.page.after',
    Object.entries(POSITIONS).map(([guarantee, positionFrom]) => [
      guarantee,
      async (pets) => {
        const added = await addPets(pets, 4)
        const ids = idsOf(added)
        const after = positionFrom(ids.at(0) as PetId, ids.at(-1) as PetId)
        const expected = added.filter((pet) => pet.id > after)
        expectEqual(await pets.list({ after, limit: MORE_THAN_ENOUGH }), expected, `exactly the pets after ${after}`)
      },
    ]),
  ),
  ...casesOf<PetRepository>('pet.page', {
    'empty: lists nothing after any id when it is empty': async (pets) => {
      expectEqual(await pets.list({ after: 1n, limit: 20 }), [], 'the list must be empty')
    },
    'walk: lists each pet once, page by page': async (pets) => {
      const added = await addPets(pets, 7)
      expectEqual(await walk(pets, 3, 3), idsOf(added), 'each pet must be on exactly one page')
    },
    'walk-while-adding: lists each pet once, page by page, while others are added': async (pets) => {
      const existing = idsOf(await addPets(pets, 9))
      // One new pet per page of two, so that the end is reached.
      const seen = await walk(pets, 2, 10, () => pets.add(aNewPet({ name: 'newcomer' })))
      expectEqual(new Set(seen).size, seen.length, 'no pet may be on two pages')
      expectEqual(seen.slice(0, existing.length), existing, 'each pet that existed at the start must be on a page')
    },
  }),
]

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
    const [found] = await Promise.all([pets.list(last === undefined ? { limit } : { after: last, limit }), meanwhile()])
    if (found.length === 0) break
    seen.push(...idsOf(found))
  }
  return seen
}
