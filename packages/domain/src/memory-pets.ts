import type { NewPet, Pet, PetId } from './pet.ts'
import { PetError, persistenceUnavailable } from './pet-error.ts'
import {
  type Cancellation,
  IDEMPOTENCY_KEY_LIFETIME_MS,
  type IdempotencyKey,
  type PetRepository,
} from './pet-repository.ts'

/** A key with the time of its first use. */
export type DatedKey = IdempotencyKey & { readonly at: Date }

/** What `createMemoryPets` stores, for code that keeps it elsewhere too. */
export interface PetMemory {
  /** By ascending id: a map keeps the order of insertion. */
  readonly pets: Map<PetId, Pet>
  /** Idempotency keys with the id of their pet, by owner and key as a JSON array. */
  readonly keys: Map<string, { readonly key: DatedKey; readonly id: PetId }>
  lastId: PetId
}

/**
 * Stores pets in this process only: for tests, examples, and as the shortest complete adapter for
 * authors of others. `stored` are pets to begin with, by ascending id; the first new pet gets the
 * id after the last of them. `now` is the clock of calls that have no time.
 */
export function createMemoryPets(
  stored: readonly Pet[] = [],
  memory: PetMemory = { pets: new Map(), keys: new Map(), lastId: 0n },
  now: () => Date = () => new Date(),
): PetRepository {
  const { pets, keys } = memory
  for (const pet of stored) pets.set(pet.id, { ...pet })
  memory.lastId = stored.at(-1)?.id ?? memory.lastId

  /** The pet that was created with this key within its lifetime. */
  function createdBefore({ owner, key, fingerprint, at }: DatedKey): Pet | undefined {
    for (const [text, entry] of keys) {
      if (at.getTime() - entry.key.at.getTime() >= IDEMPOTENCY_KEY_LIFETIME_MS) keys.delete(text)
    }
    const known = keys.get(JSON.stringify([owner, key]))
    if (known !== undefined && known.key.fingerprint !== fingerprint) {
      throw new PetError(
        'idempotency_key_reused',
        'This idempotency key was used to create another pet.',
      )
    }
    return known && pets.get(known.id)
  }

  function store(pet: NewPet): Pet {
    const added = { ...pet, id: memory.lastId + 1n }
    memory.lastId = added.id
    pets.set(added.id, added)
    return added
  }

  return {
    async add(pet, cancellation) {
      throwIfCancelled(cancellation)
      return { ...store(pet) }
    },

    async addWithKey(pet, used, cancellation) {
      throwIfCancelled(cancellation)
      const key = { ...used, at: used.at ?? now() }
      const known = createdBefore(key)
      if (known !== undefined) return { pet: { ...known }, isReplay: true }
      const added = store(pet)
      keys.set(JSON.stringify([key.owner, key.key]), { key, id: added.id })
      return { pet: { ...added }, isReplay: false }
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

function throwIfCancelled(cancellation: Cancellation | undefined): void {
  if (cancellation?.aborted)
    throw persistenceUnavailable({ message: 'The caller no longer waits for this pet.' })
}
