import { SCOPES, type Scope } from '@pet-store/access'
import { type Pet, type PetId, type PetInput, validateNewPet } from '@pet-store/domain'
import { CONTRACT_API_KEY } from './provider-states.ts'

/** An API key of a fixture. */
export interface FixtureKey {
  readonly scopes: readonly Scope[]
  readonly end?: 'revoked' | 'expired'
  readonly isUsedUp?: boolean
}

/** An earlier request with an idempotency key. */
interface Creation {
  readonly apiKey: string
  readonly idempotencyKey: string
  readonly input: PetInput
}

/**
 * What exists before one request: the states of an interaction fill it, and a provider is opened
 * with it.
 */
export interface Fixture {
  /** The provider's clock. Fixed, so that a contract holds on every day. */
  now: Date
  /** By id. */
  readonly pets: Map<PetId, Pet>
  readonly creations: Creation[]
  /** By the text of the key. */
  readonly apiKeys: Map<string, FixtureKey>
}

/** No pets and one valid key. */
export function emptyFixture(): Fixture {
  return {
    now: new Date('2027-01-01T00:00:00Z'),
    pets: new Map(),
    creations: [],
    apiKeys: new Map([[CONTRACT_API_KEY, { scopes: SCOPES }]]),
  }
}

/** The pets in the order in which they are created: by ascending id. */
export function petsOf(fixture: Fixture): readonly Pet[] {
  return [...fixture.pets.values()].sort((one, other) => (one.id < other.id ? -1 : 1))
}

/**
 * Adds a pet, by default with the next id. Throws where the input is invalid or the id is taken.
 */
export function placePet(fixture: Fixture, input: PetInput, id: PetId = nextId(fixture)): Pet {
  if (id < 1n)
    throw new RangeError(`id must be from 1 on, got ${id}: the service assigns no other ids`)
  if (fixture.pets.has(id)) throw new RangeError(`the id ${id} is taken by an earlier state`)
  const pet = { ...validateNewPet(input), id }
  fixture.pets.set(id, pet)
  return pet
}

function nextId(fixture: Fixture): PetId {
  return (petsOf(fixture).at(-1)?.id ?? 0n) + 1n
}
