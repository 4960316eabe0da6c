import { ONCE_LIFETIME, type Once, type Pet, PetError, type PetRepository } from '@pet-store/domain'
import { BrokenOnPurpose, pause } from '../fault.test-support.ts'
import type { PetFault } from './broken-pets.test-support.ts'

const AGAIN = 'adds once under one key, and gives the same pet to whoever asks again'
const AT_ONCE = 'adds once when many ask at the same time under one key'
const OTHER = 'refuses other content under a key that was used, and stores nothing'
const APART = 'tells the keys of different owners apart, and different keys of one owner'
const OTHER_AT_ONCE = 'refuses other content under one key also when both come at the same time'
const KEYS = 'tells keys apart by their case, and by the last of 255 characters'
const CONTENT = 'compares content to the last character, whatever its case and form'
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
    name: 'gives whoever waits for a key what the first one adds, whatever they ask for',
    caughtBy: [OTHER_AT_ONCE],
    over(pets) {
      const running = new Map<string, Promise<Pet>>()
      return {
        ...pets,
        add(pet, once) {
          if (once === undefined) return pets.add(pet)
          const shared = running.get(once.key)
          if (shared !== undefined) return shared
          const adding = pause()
            .then(() => pets.add(pet, once))
            .finally(() => running.delete(once.key))
          running.set(once.key, adding)
          return adding
        },
      }
    },
  },
  {
    name: 'takes keys for the same in upper and lower case',
    caughtBy: [KEYS],
    over: (pets) => asking(pets, ({ key }) => ({ key: key.toLowerCase() })),
  },
  {
    name: 'cuts keys to 254 characters',
    caughtBy: [KEYS],
    over: (pets) => asking(pets, ({ key }) => ({ key: key.slice(0, 254) })),
  },
  {
    name: 'compares content in upper and lower case alike',
    caughtBy: [CONTENT],
    over: (pets) => asking(pets, ({ fingerprint }) => ({ fingerprint: fingerprint.toLowerCase() })),
  },
  {
    name: 'compares content in NFC',
    caughtBy: [CONTENT],
    over: (pets) => asking(pets, ({ fingerprint }) => ({ fingerprint: fingerprint.normalize('NFC') })),
  },
  {
    name: 'compares the beginning of content',
    caughtBy: [CONTENT],
    over: (pets) => asking(pets, ({ fingerprint }) => ({ fingerprint: fingerprint.slice(0, 255) })),
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
