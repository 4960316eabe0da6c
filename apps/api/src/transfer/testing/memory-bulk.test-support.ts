import { type NewPet, type Pet, validateNewPet } from '@pet-store/domain'
import type { BulkAccess, PetImport, StoredApiKey } from '@pet-store/persistence'

/** Bulk access to pets, API keys and imports in memory. */
export function createMemoryBulk(
  pets: readonly Pet[] = [],
  { apiKeys = [], petImports = [] }: { apiKeys?: StoredApiKey[]; petImports?: PetImport[] } = {},
): BulkAccess & { readonly pets: Pet[] } {
  const stored = [...pets]
  const keys = new Map(apiKeys.map((key) => [key.id, key]))
  const imports = new Map(petImports.map((one) => [one.id, one]))
  let lastId =
    stored
      .map(({ id }) => id)
      .toSorted((one, other) => (one < other ? -1 : 1))
      .at(-1) ?? 0n
  return {
    pets: stored,
    countPets: async () => stored.length,
    readPets: async ({ after, limit, status }) =>
      stored
        .filter(
          (pet) =>
            (after === undefined || pet.id > after) &&
            (status === undefined || pet.status === status),
        )
        .toSorted((one, other) => (one.id < other.id ? -1 : 1))
        .slice(0, limit),
    async writePets(added) {
      const taken = new Set(stored.map(({ id }) => id))
      if (added.some(({ id }) => taken.has(id))) throw new Error('The id is taken.')
      stored.push(...added)
    },
    async addPets(added, progress) {
      if (progress !== undefined) imports.set(progress.to.id, progress.to)
      for (const pet of added) {
        lastId += 1n
        stored.push({ ...pet, id: lastId })
      }
    },
    readPetImports: async () => [...imports.values()],
    async writePetImports(added) {
      for (const one of added) imports.set(one.id, one)
    },
    readIdempotencyKeys: async () => [],
    async writeIdempotencyKeys() {},
    readApiKeys: async () => [...keys.values()],
    async writeApiKeys(added) {
      for (const key of added) keys.set(key.id, key)
    },
    lastPetId: async () => lastId,
    async movePetIdsPast(id) {
      if (id > lastId) lastId = id
    },
    close: async () => {},
  }
}

export const REX: NewPet = validateNewPet({ name: 'Rex', categoryId: 7n })

/** Pets with the ids from 1 to `count`. */
export function petsUpTo(count: number): Pet[] {
  return Array.from({ length: count }, (_, index) => ({
    ...REX,
    name: `Pet ${index + 1}`,
    id: BigInt(index + 1),
  }))
}
