import type { IdempotencyKey, NewPet, Pet, PetRepository } from '@pet-store/domain'
import { createMemoryPets, type DatedKey, type PetMemory } from '@pet-store/domain/memory'
import { type Fault, type Faults, faultsOf } from './fault.test-support.ts'

/** The memory repository, of which a fault replaces functions, and what it stores. */
export type FakePets = PetRepository & { readonly memory: PetMemory }

export function createFakePets(
  memory: PetMemory = { pets: new Map(), keys: new Map(), lastId: 0n },
): FakePets {
  return { ...createMemoryPets([], memory), memory }
}

/** Faults of pets. */
export function petFaults(
  group: string,
  ...faults: readonly Faults<FakePets>[]
): readonly Fault<PetRepository>[] {
  return faultsOf(createFakePets, group, ...faults)
}

type PetFault = (pets: FakePets, original: FakePets) => Partial<FakePets>

/** Stores another pet than it is given. */
export function stores(change: (pet: NewPet) => object): PetFault {
  return (_, { add }) => ({ add: (pet, cancellation) => add(change(pet) as NewPet, cancellation) })
}

export const OPERATIONS = ['add', 'find', 'list'] as const

/** Returns another pet than it has stored, from one function or from all. */
export function returns(
  change: (pet: Pet, memory: PetMemory) => object,
  only: readonly (typeof OPERATIONS)[number][] = OPERATIONS,
): PetFault {
  return (_, { add, find, list, memory }) => {
    const changed = (pet: Pet): Pet => change(pet, memory) as Pet
    const all: Partial<FakePets> = {
      add: (pet, cancellation) => add(pet, cancellation).then(changed),
      find: (id) => find(id).then((pet) => pet && changed(pet)),
      list: (query) => list(query).then((found) => found.map(changed)),
    }
    return Object.fromEntries(only.map((name) => [name, all[name]]))
  }
}

/** A key with the time of its call. */
export function dated(key: IdempotencyKey): DatedKey {
  return { ...key, at: key.at ?? new Date() }
}

/** The text by which the memory repository finds an idempotency key. */
export function textOf({ owner, key }: Pick<IdempotencyKey, 'owner' | 'key'>): string {
  return JSON.stringify([owner, key])
}
