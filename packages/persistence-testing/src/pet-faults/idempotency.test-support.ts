import {
  type CreatedPet,
  IDEMPOTENCY_KEY_LIFETIME_MS,
  type IdempotencyKey,
  PetError,
  type PetRepository,
} from '@pet-store/domain'
import { BrokenOnPurpose, pause } from '../fault.test-support.ts'
import type { PetFault } from './broken-pets.test-support.ts'

const AGAIN = 'adds once under one key, and gives the same pet to whoever asks again'
const REPLAY = 'says which call stored the pet and which one repeated it'
const AT_ONCE = 'adds once when many ask at the same time under one key'
const OTHER = 'refuses other content under a key that was used, and stores nothing'
const APART = 'tells the keys of different owners apart, and different keys of one owner'
const OTHER_AT_ONCE = 'refuses other content under one key also when both come at the same time'
const KEYS = 'tells keys apart by their case, and by the last of 255 characters'
const CONTENT = 'compares content to the last character, whatever its case and form'
const NEXT_DAY = 'takes a key for new after a day'
const REJECTED = 'uses no key up for an add that is rejected'

/** Changes what an add is asked under. */
function asking(pets: PetRepository, change: (key: IdempotencyKey) => Partial<IdempotencyKey>): PetRepository {
  return { ...pets, addWithKey: (pet, key) => pets.addWithKey(pet, { ...key, ...change(key) }) }
}

export const idempotencyFaults: readonly PetFault[] = [
  {
    name: 'knows no keys',
    caughtBy: [AGAIN, AT_ONCE],
    over: (pets) => ({ ...pets, addWithKey: async (pet) => ({ pet: await pets.add(pet), isReplay: false }) }),
  },
  {
    name: 'looks for the key before it adds, and lets others in between',
    caughtBy: [AT_ONCE],
    over(pets) {
      const known = new Map<string, CreatedPet>()
      return {
        ...pets,
        async addWithKey(pet, { key }) {
          const earlier = known.get(key)
          if (earlier !== undefined) return { ...earlier, isReplay: true }
          await pause()
          const added = { pet: await pets.add(pet), isReplay: false }
          known.set(key, added)
          return added
        },
      }
    },
  },
  {
    name: 'gives what is asked back, not what was stored',
    caughtBy: [AGAIN],
    over: (pets) => ({
      ...pets,
      async addWithKey(pet, key) {
        const added = await pets.addWithKey(pet, key)
        return { ...added, pet: { ...pet, id: added.pet.id } }
      },
    }),
  },
  {
    name: 'says of every call that it stored the pet',
    caughtBy: [REPLAY],
    over: (pets) => ({
      ...pets,
      addWithKey: async (pet, key) => ({ ...(await pets.addWithKey(pet, key)), isReplay: false }),
    }),
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
      async addWithKey(pet, key) {
        try {
          return await pets.addWithKey(pet, key)
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
      addWithKey: (pet, key) =>
        pets.addWithKey(pet, key).catch(() => {
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
      const running = new Map<string, Promise<CreatedPet>>()
      return {
        ...pets,
        addWithKey(pet, key) {
          const shared = running.get(key.key)
          if (shared !== undefined) return shared
          const adding = pause()
            .then(() => pets.addWithKey(pet, key))
            .finally(() => running.delete(key.key))
          running.set(key.key, adding)
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
    over: (pets) => asking(pets, () => ({ at: new Date(IDEMPOTENCY_KEY_LIFETIME_MS) })),
  },
  {
    name: 'uses a key up before it stores',
    caughtBy: [REJECTED],
    over(pets) {
      const used = new Set<string>()
      return {
        ...pets,
        async addWithKey(pet, key) {
          if (used.has(key.key)) throw new BrokenOnPurpose('used up')
          used.add(key.key)
          return pets.addWithKey(pet, key)
        },
      }
    },
  },
]
