import { INT64, type Pet } from '@pet-store/domain'
import { aNewPet } from '../a-new-pet.ts'
import { BrokenOnPurpose, pause } from '../fault.test-support.ts'
import { answering, type PetFault } from './broken-pets.test-support.ts'

export const addingFaults: readonly PetFault[] = [
  {
    name: 'gives ids as numbers',
    caughtBy: ['gives ids as bigint within int64'],
    over: (pets) => answering(pets, 'add', (pet) => ({ ...pet, id: Number(pet.id) })),
  },
  {
    name: 'gives ids beyond int64',
    caughtBy: ['gives ids as bigint within int64'],
    over: (pets) => answering(pets, 'add', (pet) => ({ ...pet, id: INT64.max + pet.id })),
  },
  {
    name: 'gives falling ids',
    caughtBy: ['gives a greater id to each later pet'],
    over: (pets) => answering(pets, 'add', (pet) => ({ ...pet, id: 1000n - pet.id })),
  },
  {
    name: 'gives an id a second time',
    caughtBy: ['gives a greater id to each later pet'],
    over: (pets) => answering(pets, 'add', (pet) => ({ ...pet, id: pet.id / 2n })),
  },
  {
    name: 'takes an equal pet for the same pet',
    caughtBy: ['makes two pets of two equal ones'],
    over(pets) {
      const known = new Map<string, Pet>()
      return {
        ...pets,
        async add(pet) {
          const stored = known.get(pet.name) ?? (await pets.add(pet))
          known.set(pet.name, stored)
          return { ...stored }
        },
      }
    },
  },
  {
    name: 'reads the last id, waits, and then writes the next one',
    caughtBy: [
      'gives different ids to pets added at the same time',
      'stores all pets added at the same time, each under its own id',
    ],
    over(pets) {
      let lastId = 0n
      return {
        ...pets,
        async add(pet) {
          const id = lastId + 1n
          await pause()
          lastId = id
          return { ...(await pets.add(pet)), id }
        },
      }
    },
  },
  {
    name: 'forgets a pet that arrives while another is being added',
    caughtBy: ['stores all pets added at the same time, each under its own id'],
    over(pets) {
      let busy = 0
      let lastId = 0n
      return {
        ...pets,
        async add(pet) {
          lastId += 1n
          busy += 1
          const isAlone = busy === 1
          await pause()
          busy -= 1
          return isAlone ? pets.add(pet) : { ...pet, id: lastId }
        },
      }
    },
  },
  {
    name: 'gives ids to simultaneous callers in the opposite order',
    caughtBy: ['gives each of several callers at once growing ids'],
    over(pets) {
      let busy = 0
      return {
        ...pets,
        async add(pet) {
          busy += 1
          const isAlone = busy === 1
          await pause()
          const stored = await pets.add(pet)
          busy -= 1
          return isAlone ? stored : { ...stored, id: 1000n - stored.id }
        },
      }
    },
  },
  {
    name: 'leaves an empty pet behind when an add fails',
    caughtBy: ['stores nothing when an add is rejected, and goes on'],
    over: (pets) => ({
      ...pets,
      add: (pet) => pets.add(pet).catch((error) => pets.add(aNewPet()).then(() => Promise.reject(error))),
    }),
  },
  {
    name: 'answers with some pet when an add fails',
    caughtBy: ['stores nothing when an add is rejected, and goes on'],
    over: (pets) => ({ ...pets, add: (pet) => pets.add(pet).catch(() => ({ id: 1n, name: 'Rex', categoryId: 1n })) }),
  },
  {
    name: 'refuses everything after one failed add',
    caughtBy: ['stores nothing when an add is rejected, and goes on'],
    over(pets) {
      let hasFailed = false
      return {
        ...pets,
        async add(pet) {
          if (hasFailed) throw new BrokenOnPurpose('the transaction is aborted')
          hasFailed = true
          const stored = await pets.add(pet)
          hasFailed = false
          return stored
        },
      }
    },
  },
  {
    name: 'stores a pet and rejects it nevertheless',
    caughtBy: ['stores exactly the pets whose add is fulfilled when others fail at the same time'],
    over: (pets) => ({
      ...pets,
      async add(pet) {
        const stored = await pets.add(pet)
        if (stored.categoryId > INT64.max) throw new BrokenOnPurpose('bigint out of range')
        return stored
      },
    }),
  },
  {
    name: 'adds in batches that fail as a whole',
    caughtBy: ['stores exactly the pets whose add is fulfilled when others fail at the same time'],
    over(pets) {
      let batch: Promise<unknown> = Promise.resolve()
      return {
        ...pets,
        add(pet) {
          const stored = Promise.all([batch, pets.add(pet)]).then(([, added]) => added)
          batch = stored
          return stored
        },
      }
    },
  },
]
