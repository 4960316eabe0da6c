import { INT64, type PetId, type PetRepository } from '@pet-store/domain'
import { type ContractCase, casesOf } from '../case/contract-case.ts'
import { expectEqual } from '../case/expectations.ts'
import { inGroups } from '../case/in-groups.ts'
import { addKeyed, addPets, aNewPet } from '../test-data/new-pets.ts'
import { idsOf } from '../test-data/stored-pets.ts'

/** More than once around a short cycle: an adapter may remember some ids only. */
const LOOKED_FOR = 20

/** A pet by its id, and `undefined` for any other id. */
export const findingCases: readonly ContractCase<PetRepository>[] = casesOf('pet.find', {
  'each: finds each pet by its own id': async (pets) => {
    const added = await addPets(pets, 5)
    for (const pet of added.toReversed())
      expectEqual(await pets.find(pet.id), pet, `the pet with the id ${pet.id}`)
  },
  'looked-for-before: finds a pet whose id was looked for before it was added': async (pets) => {
    const last = (await addPets(pets, 1))[0]?.id ?? 0n
    // These will be the next, unless the adapter leaves gaps.
    const next = Array.from({ length: LOOKED_FOR }, (_, index) => last + BigInt(index + 1))
    for (let round = 0; round < 2; round += 1)
      await inGroups(LOOKED_FOR, (index) => expectUnknown(pets, next.slice(index, index + 1)))
    for (let count = 0; count < LOOKED_FOR; count += 1) {
      const added = await (count % 2 === 0 ? pets.add(aNewPet()) : addKeyed(pets, aNewPet()))
      expectEqual(await pets.find(added.id), added, 'a pet that was looked for before')
    }
  },
  'empty: finds nothing when it is empty': (pets) => expectUnknown(pets, [1n]),
  'unknown: finds nothing under ids that no pet has': async (pets) => {
    await addPets(pets, 3)
    await expectUnknown(pets, [0n, -1n, 2n ** 53n + 1n, INT64.max, INT64.min])
  },
  'similar: finds nothing under ids that rounding or truncating turns into a known one': async (
    pets,
  ) => {
    const last = (await addPets(pets, 3)).at(-1)?.id ?? 0n
    await expectUnknown(pets, [last + 1n, -last, last + 2n ** 32n, last + 2n ** 53n])
  },
})

async function expectUnknown(pets: PetRepository, ids: readonly PetId[]): Promise<void> {
  const known = new Set(idsOf(await pets.list({ limit: 3 })))
  // An adapter chooses its ids; one that it has chosen is not unknown.
  for (const id of ids.filter((one) => !known.has(one))) {
    expectEqual(
      await pets.find(id),
      undefined,
      `find must return undefined for the unknown id ${id}`,
    )
  }
}
