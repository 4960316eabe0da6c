import { ONCE_LIFETIME, type Once, type Pet, PetError, type PetRepository } from '@pet-store/domain'
import { BrokenOnPurpose, pause } from '../fault.test-support.ts'
import type { PetFault } from './broken-pets.test-support.ts'

const AGAIN = 'adds once under one key, and gives the same pet to whoever asks again'
const AT_ONCE = 'adds once when many ask at the same time under one key'
const OTHER = 'refuses other content under a key that was used, and stores nothing'
const APART = 'tells the keys of different owners apart, and different keys of one owner'
const NEXT_DAY = 'takes a key for new after a day'
const REJECTED = 'uses no key up for an add that is rejected'

/** Changes what an add is asked under. */
function asking(pets: PetRepository, change: (once: Once) => Partial<Once>): PetRepository {
  return { ...pets, add: (pet, once) => (once ? pets.add(pet, { ...once, ...change(once) }) : pets.add(pet)) }
}

export const onceFaults: readonly PetFault[] = [
  {
    name: 'knows no keys',
    caughtBy: [AGAIN, AT_ONCE],
    over: (pets) => ({ ...pets, add: (pet) => pets.add(pet) }),
  },
  {
    name: 'looks for the key before it adds, and lets others in between',
    caughtBy: [AT_ONCE],
    over(pets) {
      const known = new Map<string, Pet>()
      return {
        ...pets,
        async add(pet, once) {
          const earlier = known.get(once?.key ?? '')
          if (earlier !== undefined) return earlier
          await pause()
          const added = await pets.add(pet)
          if (once !== undefined) known.set(once.key, added)
          return added
        },
      }
    },
  },
  {
    name: 'gives what is asked back, not what was stored',
    caughtBy: [AGAIN],
    over: (pets) => ({ ...pets, add: async (pet, once) => ({ ...pet, id: (await pets.add(pet, once)).id }) }),
  },
  {
    name: 'does not look at the content',
    caughtBy: [OTHER],
    over: (pets) => asking(pets, () => ({ fingerprint: '' })),
  },
  {
    name: 'refuses other content after storing it',
    caughtBy: [OTHER],
    over: (pets) => ({
      ...pets,
      async add(pet, once) {
        try {
          return await pets.add(pet, once)
        } catch (error) {
          await pets.add(pet)
          throw error
        }
      },
    }),
  },
  {
    name: 'refuses other content with an error of another code',
    caughtBy: [OTHER],
    over: (pets) => ({
      ...pets,
      add: (pet, once) =>
        pets.add(pet, once).catch(() => {
          throw new PetError('pet_invalid', 'refused')
        }),
    }),
  },
  {
    name: 'does not ask whose key it is',
    caughtBy: [APART],
    over: (pets) => asking(pets, () => ({ owner: '' })),
  },
  {
    name: 'runs owner and key together',
    caughtBy: [APART],
    over: (pets) => asking(pets, ({ owner, key }) => ({ owner: '', key: owner + key })),
  },
  {
    name: 'forgets keys a moment too early',
    caughtBy: [AGAIN, OTHER],
    over: (pets) => asking(pets, ({ at }) => ({ at: new Date(at.getTime() * 2) })),
  },
  {
    name: 'keeps keys for ever',
    caughtBy: [NEXT_DAY],
    over: (pets) => asking(pets, () => ({ at: new Date(ONCE_LIFETIME) })),
  },
  {
    name: 'uses a key up before it stores',
    caughtBy: [REJECTED],
    over(pets) {
      const used = new Set<string>()
      return {
        ...pets,
        async add(pet, once) {
          if (once !== undefined && used.has(once.key)) throw new BrokenOnPurpose('used up')
          if (once !== undefined) used.add(once.key)
          return pets.add(pet, once)
        },
      }
    },
  },
]
