import assert from 'node:assert/strict'
import { INT64, type PetId, type PetRepository } from '@pet-store/domain'
import { aNewPet } from '../a-new-pet.ts'
import type { ContractCase } from '../contract-case.ts'
import { addPets, idsOf, MORE_THAN_ENOUGH } from './stored-pets.ts'

/** Positions, made from the ids that exist. Most of them are nobody's id. */
const POSITIONS: Readonly<Record<string, (first: PetId, last: PetId) => PetId>> = {
  'the id before the first': (first) => first - 1n,
  'the first id': (first) => first,
  'the last id': (_, last) => last,
  'the id after the last': (_, last) => last + 1n,
  '0': () => 0n,
  '-1': () => -1n,
  '2^53+1': () => 2n ** 53n + 1n,
  'the smallest int64': () => INT64.min,
  'the greatest int64': () => INT64.max,
  // Cut to 32 bits these two would be the first and the last id.
  'the first id and 2^32': (first) => first + 2n ** 32n,
  'the last id less 2^32': (_, last) => last - 2n ** 32n,
}

/** Only pets with a greater id than `after`, whether or not it exists. */
export const pagingCases: readonly ContractCase<PetRepository>[] = [
  ...Object.entries(POSITIONS).map(([description, positionFrom]) => ({
    name: `lists exactly the pets after ${description}`,
    async run(pets: PetRepository) {
      const added = await addPets(pets, 4)
      const ids = idsOf(added)
      const after = positionFrom(ids.at(0) as PetId, ids.at(-1) as PetId)
      const expected = added.filter((pet) => pet.id > after)
      assert.deepEqual(await pets.list({ after, limit: MORE_THAN_ENOUGH }), expected)
    },
  })),
  {
    name: 'lists nothing after any id when it is empty',
    async run(pets) {
      assert.deepEqual(await pets.list({ after: 1n, limit: 20 }), [])
    },
  },
  {
    name: 'shows each pet once to whoever goes from page to page',
    async run(pets) {
      const added = await addPets(pets, 7)
      assert.deepEqual(await idsOnAllPages(pets, 3), idsOf(added))
    },
  },
  {
    name: 'shows each pet once to whoever goes from page to page while others add',
    async run(pets) {
      const there = idsOf(await addPets(pets, 9))
      // One new pet for each page of two, so that the end is reached.
      const seen = await idsOnAllPages(pets, 2, () => pets.add(aNewPet({ name: 'newcomer' })))
      assert.equal(new Set(seen).size, seen.length, 'no pet may be seen twice')
      assert.deepEqual(seen.slice(0, there.length), there)
    },
  },
]

async function idsOnAllPages(
  pets: PetRepository,
  limit: number,
  meanwhile: () => Promise<unknown> = async () => undefined,
): Promise<readonly PetId[]> {
  const seen: PetId[] = []
  // A repository that never shows an empty page must fail the case, not hang it.
  while (seen.length < MORE_THAN_ENOUGH) {
    const last = seen.at(-1)
    const [page] = await Promise.all([pets.list(last === undefined ? { limit } : { after: last, limit }), meanwhile()])
    if (page.length === 0) break
    seen.push(...idsOf(page))
  }
  return seen
}
