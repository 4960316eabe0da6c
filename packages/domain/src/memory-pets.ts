import type { Pet } from './pet.ts'
import type { PetRepository } from './pet-repository.ts'

/**
 * Keeps pets in this process and forgets them with it: for tests, examples, and as the shortest
 * honest model for authors of adapters.
 */
export function createMemoryPets(): PetRepository {
  // A map keeps the order of adding, which is the order of ids.
  const pets = new Map<bigint, Pet>()
  let lastId = 0n

  return {
    async add(pet) {
      lastId += 1n
      const stored = { ...pet, id: lastId }
      pets.set(stored.id, stored)
      return { ...stored }
    },

    async find(id) {
      const pet = pets.get(id)
      return pet && { ...pet }
    },

    async list({ status, after, limit }) {
      const found: Pet[] = []
      for (const pet of pets.values()) {
        if (found.length === limit) break
        if (after !== undefined && pet.id <= after) continue
        if (status === undefined || pet.status === status) found.push({ ...pet })
      }
      return found
    },
  }
}
