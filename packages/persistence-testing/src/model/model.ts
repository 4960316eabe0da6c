import type { Pet, PetId } from '@pet-store/domain'
import type { PetImport, StoredApiKey, StoredIdempotencyKey } from '@pet-store/persistence'

/** What a database must hold after the calls so far, by the words of the ports. */
export interface Model {
  readonly pets: Map<PetId, Pet>
  /** By owner and key as a JSON array. Those of deleted pets are among them. */
  readonly idempotencyKeys: Map<string, StoredIdempotencyKey>
  readonly apiKeys: Map<string, StoredApiKey>
  readonly imports: Map<bigint, PetImport>
  /** How many requests were counted, by the length of the window and the key. */
  readonly requests: Map<string, number>
  /** The ids of pets that exist or were deleted. */
  readonly usedIds: Set<PetId>
  /** The greatest id that each opening has assigned. */
  readonly lastIds: PetId[]
  /** The same when the calls began that are running. */
  lastIdsBefore: readonly PetId[]
}

export function createModel(): Model {
  return {
    pets: new Map(),
    idempotencyKeys: new Map(),
    apiKeys: new Map(),
    imports: new Map(),
    requests: new Map(),
    usedIds: new Set(),
    lastIds: [],
    lastIdsBefore: [],
  }
}

/** A copy that shares nothing that changes: what is stored is replaced, never changed. */
export function copyOf(model: Model): Model {
  return {
    pets: new Map(model.pets),
    idempotencyKeys: new Map(model.idempotencyKeys),
    apiKeys: new Map(model.apiKeys),
    imports: new Map(model.imports),
    requests: new Map(model.requests),
    usedIds: new Set(model.usedIds),
    lastIds: [...model.lastIds],
    lastIdsBefore: model.lastIdsBefore,
  }
}

export function storePet(model: Model, pet: Pet): void {
  model.pets.set(pet.id, pet)
  model.usedIds.add(pet.id)
}

/** By ascending id. */
export function sortedPets({ pets }: Model): readonly Pet[] {
  return [...pets.values()].sort((one, other) => (one.id < other.id ? -1 : 1))
}

/** One of several, chosen by any number; `undefined` if there is none. */
export function nthOf<Item>(items: Iterable<Item>, number: number): Item | undefined {
  const all = [...items]
  return all[number % all.length]
}
