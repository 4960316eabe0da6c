import type { PetRepository } from '@pet-store/domain'
import type { Durations } from './durations.ts'

/** A repository that notes how long each of its operations takes, whether it succeeds or not. */
export function timed(pets: PetRepository, durations: Readonly<Record<keyof PetRepository, Durations>>): PetRepository {
  return {
    add: (pet, cancellation) => time(durations.add, () => pets.add(pet, cancellation)),
    addWithKey: (...given) => time(durations.addWithKey, () => pets.addWithKey(...given)),
    find: (id) => time(durations.find, () => pets.find(id)),
    list: (query) => time(durations.list, () => pets.list(query)),
  }
}

async function time<Result>(durations: Durations, work: () => Promise<Result>): Promise<Result> {
  const start = performance.now()
  try {
    return await work()
  } finally {
    durations.note(performance.now() - start)
  }
}
