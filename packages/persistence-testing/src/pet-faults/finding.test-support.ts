import { INT64, type PetId, type PetRepository } from '@pet-store/domain'
import { BrokenOnPurpose } from '../fault.test-support.ts'
import type { PetFault } from './broken-pets.test-support.ts'

/** Looks for another id than the one asked for. */
function seeking(pets: PetRepository, idFrom: (id: PetId) => PetId): PetRepository {
  return { ...pets, find: (id) => pets.find(idFrom(id)) }
}

export const findingFaults: readonly PetFault[] = [
  {
    name: 'finds the first pet whatever the id',
    caughtBy: ['finds each pet by its own id', 'finds nothing under the neighbour of an existing id'],
    over: (pets) => seeking(pets, () => 1n),
  },
  {
    name: 'answers null for an unknown id',
    caughtBy: ['finds nothing in an empty storage', 'finds nothing under the id 0', 'finds nothing under the id -1'],
    over: (pets) => ({ ...pets, find: async (id) => (await pets.find(id)) ?? (null as unknown as undefined) }),
  },
  {
    name: 'rejects an unknown id',
    caughtBy: ['finds nothing in an empty storage', 'finds nothing under the neighbour of an existing id'],
    over: (pets) => ({
      ...pets,
      async find(id) {
        const pet = await pets.find(id)
        if (pet === undefined) throw new BrokenOnPurpose(`no row ${id}`)
        return pet
      },
    }),
  },
  {
    name: 'takes the id 0 for no id and finds the first pet',
    caughtBy: ['finds nothing under the id 0'],
    over: (pets) => seeking(pets, (id) => id || 1n),
  },
  {
    name: 'ignores the sign of an id',
    caughtBy: ['finds nothing under the id -1', 'finds nothing under an existing id with another sign'],
    over: (pets) => seeking(pets, (id) => (id < 0n ? -id : id)),
  },
  {
    name: 'cuts ids to 32 bits',
    caughtBy: ['finds nothing under an existing id and 2^32', 'finds nothing under the id 2^53+1'],
    over: (pets) => seeking(pets, (id) => BigInt.asIntN(32, id)),
  },
  {
    name: 'cuts ids to 53 bits',
    caughtBy: ['finds nothing under an existing id and 2^53'],
    over: (pets) => seeking(pets, (id) => BigInt.asUintN(53, id)),
  },
  {
    name: 'rejects ids that a double cannot hold',
    caughtBy: ['finds nothing under the id 2^53+1', 'finds nothing under the greatest int64'],
    over: (pets) =>
      seeking(pets, (id) => {
        if (BigInt(Number(id)) !== id) throw new BrokenOnPurpose(`${id} is not exact`)
        return id
      }),
  },
  {
    name: 'rejects the smallest int64, whose absolute value does not fit',
    caughtBy: ['finds nothing under the smallest int64'],
    over: (pets) =>
      seeking(pets, (id) => {
        if (-id > INT64.max) throw new BrokenOnPurpose(`${id} is out of range`)
        return id
      }),
  },
  {
    name: 'compares great ids as doubles',
    caughtBy: ['finds nothing under the neighbour of an existing id'],
    over(pets) {
      // Ids of this repository begin at 2^53, from where a double holds only each second integer.
      const base = 2n ** 53n
      return {
        ...pets,
        async add(pet) {
          const stored = await pets.add(pet)
          return { ...stored, id: base + stored.id }
        },
        async find(id) {
          for (const pet of await pets.list({ limit: 1000 })) {
            if (Number(base + pet.id) === Number(id)) return { ...pet, id: base + pet.id }
          }
          return undefined
        },
      }
    },
  },
]
