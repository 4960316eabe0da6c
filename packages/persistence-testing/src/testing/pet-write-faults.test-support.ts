import { INT64, type NewPet, type PetRepository } from '@pet-store/domain'
import { aNewPet } from '../test-data/new-pets.ts'
import { dated, petFaults, returns, textOf } from './fake-pets.test-support.ts'
import { BrokenOnPurpose, broken, type Fault, pause } from './fault.test-support.ts'

export const petWriteFaults: readonly Fault<PetRepository>[] = petFaults('pet.add', {
  'ids: returns ids as numbers': returns((pet) => ({ ...pet, id: Number(pet.id) })),
  'ids: returns ids beyond int64': returns((pet) => ({ ...pet, id: INT64.max + pet.id })),
  'ids: gives decreasing ids': returns((pet) => ({ ...pet, id: 1000n - pet.id })),
  'ids: gives ids below 0': returns((pet) => ({ ...pet, id: pet.id - 100n })),
  'ids: gives an id twice': returns((pet) => ({ ...pet, id: pet.id / 2n })),
  'ids: treats an equal pet as the same pet': ({ memory }, { add }) => ({
    add: async (pet) => [...memory.pets.values()].find(({ name }) => name === pet.name) ?? add(pet),
  }),
  'concurrent: reads the last id, waits, and writes it': ({ memory }, { add }) => ({
    async add(pet) {
      const id = memory.lastId
      await pause()
      memory.lastId = id
      return add(pet)
    },
  }),
  'concurrent: gives concurrent callers decreasing ids': (_, { add }) => {
    let busy = 0
    return {
      async add(pet) {
        const isAlone = busy++ === 0
        await pause()
        const stored = await add(pet)
        busy -= 1
        return isAlone ? stored : { ...stored, id: 1000n - stored.id }
      },
    }
  },
  'concurrent: takes ids of pets with a key from a block of their own': (_, { addWithKey }) => {
    let next = 5_000n
    return {
      async addWithKey(pet, key) {
        const created = await addWithKey(pet, key)
        return created.isReplay ? created : { ...created, pet: { ...created.pet, id: next++ } }
      },
    }
  },
  'megabytes: counts the bytes of every pet that it was given': (_, { addWithKey }) => {
    let bytes = 0
    return {
      async addWithKey(pet, key) {
        bytes += 2 * (pet.name.length + key.fingerprint.length)
        return bytes > 16 * 1024 * 1024 ? broken() : addWithKey(pet, key)
      },
    }
  },
  'megabytes: gives equal lists at the same time one result': (_, { list }) => {
    const running = new Map<string, ReturnType<typeof list>>()
    return {
      list(query) {
        const name = `${query.after} ${query.status} ${query.limit}`
        const shared = running.get(name) ?? Promise.all([list(query), pause()]).then(([all]) => all)
        running.set(name, shared)
        void shared.finally(() => running.delete(name))
        return shared
      },
    }
  },
  'cancelled-megabytes: counts the bytes of cancelled adds forever': (_, original) => {
    let bytes = 0
    return {
      async add(pet, cancellation) {
        if (bytes > 16 * 1024 * 1024) broken()
        if (cancellation?.aborted) bytes += 2 * pet.name.length
        return original.add(pet, cancellation)
      },
      async addWithKey(pet, key, cancellation) {
        if (cancellation?.aborted) bytes += 2 * (pet.name.length + key.fingerprint.length)
        return original.addWithKey(pet, key, cancellation)
      },
    }
  },
  'visible-at-once: lists pets later than it adds them': ({ memory }, { list }) => ({
    list: (query) => list(query).then((found) => found.filter(({ id }) => id !== memory.lastId)),
  }),
  'visible-at-once: lists pets up to the oldest one that is being added': (_, { add, list }) => {
    const running = new Set<bigint>()
    return {
      async add(pet, cancellation) {
        const stored = await add(pet, cancellation)
        running.add(stored.id)
        for (let turns = Number(stored.id % 3n) * 10; turns > 0; turns -= 1) await pause()
        running.delete(stored.id)
        return stored
      },
      list: async (query) =>
        (await list(query)).filter(({ id }) => [...running].every((one) => id < one)),
    }
  },
  'visible-at-once: lists pages of a status later than it adds pets': ({ memory }, { list }) => ({
    list: async (query) =>
      (await list(query)).filter(
        ({ id }) => query.status === undefined || query.after === undefined || id !== memory.lastId,
      ),
  }),
  'visible-at-once: finds pets later than it adds them': ({ memory }, { find }) => ({
    find: async (id) => (id === memory.lastId ? undefined : find(id)),
  }),
  'visible-at-once: lists from a cache that add alone clears': (_, { add, list }) => {
    let cached: ReturnType<typeof list> | undefined
    return {
      async add(pet, cancellation) {
        const added = await add(pet, cancellation)
        cached = undefined
        return added
      },
      list(query) {
        cached ??= list(query)
        return cached
      },
    }
  },
  'rejected: leaves an empty pet behind when an add fails': (_, { add }) => ({
    add: (pet) => add(pet).catch((error) => add(aNewPet()).then(() => Promise.reject(error))),
  }),
  'rejected: returns some pet when an add fails': (_, { add }) => ({
    add: (pet) => add(pet).catch(() => ({ id: 1n, name: 'Rex', categoryId: 1n })),
  }),
  'rejected: rejects everything after one failed add': (_, { add }) => {
    let hasFailed = false
    return {
      add: (pet) =>
        hasFailed
          ? Promise.reject(new BrokenOnPurpose('the transaction is aborted'))
          : add(pet).catch((error) => {
              hasFailed = true
              throw error
            }),
    }
  },
  'cancelled: stores a cancelled add a little later': (_, { add }) => ({
    async add(pet, cancellation) {
      if (cancellation?.aborted) setTimeout(() => void add(pet), 500)
      return add(pet, cancellation)
    },
  }),
  'cancelled-meanwhile: rejects an add that is cancelled in the queue, and stores it': (
    _,
    { add },
  ) => ({
    async add(pet, cancellation) {
      await pause()
      setTimeout(() => void add(pet), 500)
      return cancellation?.aborted ? add(pet, cancellation) : { ...pet, id: 1n }
    },
  }),
  'cancelled-meanwhile: uses up the key of an add that is cancelled in the queue': (
    { memory },
    original,
  ) => ({
    async addWithKey(pet, key, cancellation) {
      await pause()
      if (cancellation?.aborted) memory.keys.set(textOf(key), { key: dated(key), id: 1n })
      return original.addWithKey(pet, key, cancellation)
    },
  }),
  'cancelled-meanwhile: gives the pet of a cancelled add to the next one in the queue': (
    _,
    { add },
  ) => {
    const queue: NewPet[] = []
    return {
      async add(pet, cancellation) {
        queue.push(pet)
        await pause()
        return add(cancellation?.aborted ? pet : (queue.shift() ?? pet), cancellation)
      },
    }
  },
  'cancelled: looks at a copy of the cancellation, which an AbortSignal has none of': (
    _,
    { add },
  ) => ({
    add: (pet, cancellation) => add(pet, cancellation && { ...cancellation }),
  }),
  'cancelled: ignores a cancellation': (_, { add, addWithKey }) => ({
    add: (pet) => add(pet),
    addWithKey: (pet, key) => addWithKey(pet, key),
  }),
  'rejected-beside-others: stores a pet and rejects its add': (_, { add }) => ({
    add: (pet) => add(pet).then((stored) => (stored.categoryId > INT64.max ? broken() : stored)),
  }),
  'rejected-beside-others: adds in batches that fail as a whole': (_, { add }) => {
    let batch: Promise<unknown> = Promise.resolve()
    return {
      add(pet) {
        const stored = Promise.all([batch, add(pet)]).then(([, added]) => added)
        batch = stored
        return stored
      },
    }
  },
})
