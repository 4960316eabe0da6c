import { IDEMPOTENCY_KEY_LIFETIME_MS, type IdempotencyKey } from './idempotency-key.ts'
import { INT64, type NewPet, type Pet, type PetId } from './pet.ts'
import { PetError, persistenceUnavailable } from './pet-error.ts'
import type { Cancellation, PetRepository } from './pet-repository.ts'

/** An idempotency key with the time of its first use. */
export type DatedKey = IdempotencyKey & { readonly at: Date }

/** What `createMemoryPets` stores. A caller that passes its own can save and restore it. */
export interface PetMemory {
  /** By ascending id, because pets are inserted in that order and a map keeps it. */
  readonly pets: Map<PetId, Pet>
  /** Idempotency keys with the id of their pet, by owner and key as a JSON array. */
  readonly keys: Map<string, { readonly key: DatedKey; readonly id: PetId }>
  lastId: PetId
}

/**
 * Stores pets in this process only: for tests and examples, and as a model for authors of adapters.
 * `stored` are the pets that it begins with, by ascending id; the first new pet gets the id after
 * the last of them. `now` is the clock for idempotency keys that have no time of their own.
 */
export function createMemoryPets(
  stored: readonly Pet[] = [],
  memory: PetMemory = { pets: new Map(), keys: new Map(), lastId: 0n },
  now: () => Date = () => new Date(),
): PetRepository {
  const { pets, keys } = memory
  for (const pet of stored) pets.set(pet.id, { ...pet })
  memory.lastId = stored.at(-1)?.id ?? memory.lastId

  /** Those that are expired for this call, and by the clock: another call may be earlier. */
  function deleteExpiredKeys({ at }: DatedKey): void {
    const time = Math.min(at.getTime(), now().getTime())
    for (const [text, { key }] of keys) if (isExpired(key, time)) keys.delete(text)
  }

  /** Finds the pet that was created with this key. Throws `idempotency_key_reused`. */
  function petCreatedWith({ owner, key, fingerprint, at }: DatedKey): Pet | undefined {
    const known = keys.get(JSON.stringify([owner, key]))
    const pet = known && !isExpired(known.key, at.getTime()) ? pets.get(known.id) : undefined
    if (pet !== undefined && known?.key.fingerprint !== fingerprint) {
      throw new PetError(
        'idempotency_key_reused',
        'This idempotency key was used to create another pet.',
      )
    }
    return pet
  }

  function store(pet: NewPet): Pet {
    if (memory.lastId === INT64.max)
      throw persistenceUnavailable({ message: 'There are no more ids.' })
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

    async addWithKey(pet, idempotencyKey, cancellation) {
      throwIfCancelled(cancellation)
      const key = { ...idempotencyKey, at: idempotencyKey.at ?? now() }
      deleteExpiredKeys(key)
      const known = petCreatedWith(key)
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

function isExpired(key: DatedKey, timeMs: number): boolean {
  return timeMs - key.at.getTime() >= IDEMPOTENCY_KEY_LIFETIME_MS
}

function throwIfCancelled(cancellation: Cancellation | undefined): void {
  if (cancellation?.aborted)
    throw persistenceUnavailable({ message: 'The caller no longer waits for this pet.' })
}
