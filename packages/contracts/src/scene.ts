import { SCOPES, type Scope } from '@pet-store/access'
import { type Pet, type PetId, type PetInput, validateNewPet } from '@pet-store/domain'
import { CONTRACT_API_KEY } from './contract-api-keys.ts'

/** An API key of a scene. */
export interface SceneKey {
  readonly scopes: readonly Scope[]
  readonly end?: 'revoked' | 'expired'
  readonly isUsedUp?: boolean
}

/** An addition of the past, under an idempotency key. */
interface Creation {
  readonly apiKey: string
  readonly idempotencyKey: string
  readonly draft: PetInput
}

/** What is so before one request: the states of an interaction write it down, and a provider is opened with it. */
export interface Scene {
  /** The provider's time. Fixed, so that a contract holds on every day. */
  now: Date
  /** By id. */
  readonly pets: Map<PetId, Pet>
  readonly creations: Creation[]
  /** By the key itself. */
  readonly apiKeys: Map<string, SceneKey>
}

/** An empty store and one good key. */
export function emptyScene(): Scene {
  return {
    now: new Date('2027-01-01T00:00:00Z'),
    pets: new Map(),
    creations: [],
    apiKeys: new Map([[CONTRACT_API_KEY, { scopes: SCOPES }]]),
  }
}

/** Ascending by id, as they would have been added. */
export function petsOf(scene: Scene): readonly Pet[] {
  return [...scene.pets.values()].sort((one, other) => (one.id < other.id ? -1 : 1))
}

/** Puts a pet into a scene, under the next id unless it has one. Throws where the rules of the domain refuse it, or the id is taken. */
export function placePet(scene: Scene, draft: PetInput, id: PetId = nextId(scene)): Pet {
  if (id < 1n) throw new RangeError(`id must be from 1 on, got ${id}: the service gives no other ids`)
  if (scene.pets.has(id)) throw new RangeError(`the id ${id} is taken by an earlier state`)
  const pet = { ...validateNewPet(draft), id }
  scene.pets.set(id, pet)
  return pet
}

function nextId(scene: Scene): PetId {
  return (petsOf(scene).at(-1)?.id ?? 0n) + 1n
}
