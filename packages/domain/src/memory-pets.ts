import { ONCE_LIFETIME, type Once } from './once.ts'
import type { Pet } from './pet.ts'
import { PetError } from './pet-error.ts'
import type { PetRepository } from './pet-repository.ts'

/**
 * Keeps pets in this process and forgets them with it: for tests, examples, and as the shortest
 * honest model for authors of adapters. It may begin with pets, ascending by id.
 */
export function createMemoryPets(stored: readonly Pet[] = []): PetRepository {
  // A map keeps the order of adding, which is the order of ids.
  const pets = new Map<bigint, Pet>(stored.map((pet) => [pet.id, { ...pet }]))
  const creations = new Map<string, { readonly once: Once; readonly pet: Pet }>()
  let lastId = stored.at(-1)?.id ?? 0n

  /** The pet that was added under this key, if that is less than a day ago. */
  function createdBefore({ owner, key, fingerprint, at }: Once): Pet | undefined {
    for (const [text, { once }] of creations) {
      if (at.getTime() - once.at.getTime() >= ONCE_LIFETIME) creations.delete(text)
    }
    const known = creations.get(JSON.stringify([owner, key]))
    if (known !== undefined && known.once.fingerprint !== fingerprint) {
      throw new PetError('creation_key_reused', 'This key was used to create another pet.')
    }
    return known?.pet
  }

  return {
    async add(pet, once) {
      const known = once && createdBefore(once)
      if (known !== undefined) return { ...known }
      lastId += 1n
      const stored = { ...pet, id: lastId }
      pets.set(stored.id, stored)
      if (once !== undefined) creations.set(JSON.stringify([once.owner, once.key]), { once, pet: stored })
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
