import type { Pet, PetRepository } from '@pet-store/domain'
import { createMemoryPets } from '@pet-store/domain/memory'
import type { PetFault } from './broken-pets.test-support.ts'

/** Keeps pets in an array and, at one place, hands out or takes in the very object that it keeps. */
function leaking(place: 'given' | 'add' | 'find' | 'list' | 'array'): PetRepository {
  const stored: Pet[] = []
  return {
    ...createMemoryPets(),
    async add(pet) {
      const id = BigInt(stored.length + 1)
      const kept = place === 'given' ? Object.assign(pet, { id }) : { ...pet, id }
      stored.push(kept)
      return place === 'add' ? kept : { ...kept }
    },
    async find(id) {
      const kept = stored.find((pet) => pet.id === id)
      return kept && (place === 'find' ? kept : { ...kept })
    },
    async list() {
      if (place === 'array') return stored
      return stored.map((kept) => (place === 'list' ? kept : { ...kept }))
    },
  }
}

export const detachedFaults: readonly PetFault[] = [
  {
    name: 'gives away the stored pet in add',
    caughtBy: ['keeps what was stored when the pet from add is changed'],
    over: () => leaking('add'),
  },
  {
    name: 'gives away the stored pet in find',
    caughtBy: ['keeps what was stored when the pet from find is changed'],
    over: () => leaking('find'),
  },
  {
    name: 'gives away the stored pets in list',
    caughtBy: ['keeps what was stored when a pet from list is changed'],
    over: () => leaking('list'),
  },
  {
    name: 'gives away its own array',
    caughtBy: ['keeps what was stored when the list itself is emptied'],
    over: () => leaking('array'),
  },
  {
    name: 'keeps the given object instead of a copy',
    caughtBy: ['keeps what was stored when the given pet is changed afterwards'],
    over: () => leaking('given'),
  },
]
