import type { NewPet, Pet, PetQuery, PetRepository } from '@pet-store/domain'
import type { Fault } from '../fault.test-support.ts'
import { MORE_THAN_ENOUGH } from '../pet-cases/stored-pets.ts'

/** A repository of pets that breaks one promise on purpose. */
export type PetFault = Fault<PetRepository>

/** Changes each pet on its way in. */
export function storing(pets: PetRepository, change: (pet: NewPet) => object): PetRepository {
  return { ...pets, add: async (pet) => pets.add(change(pet) as NewPet) }
}

/** Changes each pet on its way out of one operation. */
export function answering(
  pets: PetRepository,
  operation: keyof PetRepository,
  change: (pet: Pet) => object,
): PetRepository {
  const changed = (pet: Pet): Pet => change(pet) as Pet
  const broken: PetRepository = {
    add: async (pet) => changed(await pets.add(pet)),
    async addWithKey(pet, key) {
      const added = await pets.addWithKey(pet, key)
      return { ...added, pet: changed(added.pet) }
    },
    async find(id) {
      const pet = await pets.find(id)
      return pet && changed(pet)
    },
    list: async (query) => (await pets.list(query)).map(changed),
  }
  return { ...pets, [operation]: broken[operation] }
}

/** Answers a list in another way; `all` holds every pet by ascending id. */
export function listing(
  pets: PetRepository,
  list: (query: PetQuery, all: readonly Pet[]) => readonly Pet[] | Promise<readonly Pet[]>,
): PetRepository {
  return { ...pets, list: async (query) => list(query, await pets.list({ limit: MORE_THAN_ENOUGH })) }
}
