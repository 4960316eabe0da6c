import { INT64, type PetId, type PetRepository } from '@pet-store/domain'
import { type ContractCase, casesOf, expectEqual } from '../contract-case.ts'
import { addPets, idsOf } from '../new-pets.ts'

/** Unknown ids, some of which become a known id when they are rounded or truncated. */
const UNKNOWN_IDS: Readonly<Record<string, (last: PetId) => PetId>> = {
  'zero: finds nothing under the id 0': () => 0n,
  'minus-one: finds nothing under the id -1': () => -1n,
  'beyond-double: finds nothing under the id 2^53+1': () => 2n ** 53n + 1n,
  'int64-max: finds nothing under the greatest int64': () => INT64.max,
  'int64-min: finds nothing under the smallest int64': () => INT64.min,
  'neighbour: finds nothing under the id after an existing one': (last) => last + 1n,
  'negated: finds nothing under an existing id with the opposite sign': (last) => -last,
  'plus-2-32: finds nothing under an existing id plus 2^32': (last) => last + 2n ** 32n,
  'plus-2-53: finds nothing under an existing id plus 2^53': (last) => last + 2n ** 53n,
}

/** A pet by its id, and `undefined` for any other id. */
export const findingCases: readonly ContractCase<PetRepository>[] = [
  ...casesOf<PetRepository>('pet.find', {
    'each: finds each pet by its own id': async (pets) => {
      const added = await addPets(pets, 5)
      for (const pet of added.toReversed()) expectEqual(await pets.find(pet.id), pet, `the pet with the id ${pet.id}`)
    },
    'empty: finds nothing when it is empty': async (pets) => {
      expectEqual(await pets.find(1n), undefined, 'find must return undefined')
    },
  }),
  ...casesOf<PetRepository>(
    'pet.find.unknown',
    Object.entries(UNKNOWN_IDS).map(([guarantee, unknownFrom]) => [
      guarantee,
      async (pets) => {
        const ids = idsOf(await addPets(pets, 3))
        const unknown = unknownFrom(ids.at(-1) as PetId)
        // An adapter chooses its ids; for one that uses this id the case does not apply.
        if (ids.includes(unknown)) return
        expectEqual(await pets.find(unknown), undefined, `find must return undefined for the unknown id ${unknown}`)
      },
    ]),
  ),
]
