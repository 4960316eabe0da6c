import type { IdempotencyKey, PetRepository } from '@pet-store/domain'
import { type FakePets, petFaults } from './fake-pets.test-support.ts'
import { broken, type Fault, type Faults, isTooLongForIndex, pause } from './fault.test-support.ts'

/** Uses another key than it is given. */
export const keyed = (
  fault: string,
  change: (key: IdempotencyKey) => Partial<IdempotencyKey>,
): Faults<FakePets> => ({
  [fault]: (_, { addWithKey }) => ({
    addWithKey: (pet, key) => addWithKey(pet, { ...key, ...change(key) }),
  }),
})

/** Faults of adapters that take different owners, keys or contents for the same. */
export const keyComparisonFaults: readonly Fault<PetRepository>[] = petFaults('pet.idempotency', {
  ...keyed('exact-owner: ignores the case of owners', ({ owner }) => ({
    owner: owner.toLowerCase(),
  })),
  ...keyed('exact-owner: cuts owners to 20 characters', ({ owner }) => ({
    owner: owner.slice(0, 20),
  })),
  ...keyed('exact-owner: ignores spaces at the end of owners', ({ owner }) => ({
    owner: owner.trimEnd(),
  })),
  'exact-owner: returns the running add for a key, whoever owns it': (_, original) => {
    const running = new Map<string, ReturnType<PetRepository['addWithKey']>>()
    return {
      async addWithKey(pet, key) {
        const adding = running.get(key.key) ?? pause().then(() => original.addWithKey(pet, key))
        running.set(key.key, adding)
        const added = await adding
        running.delete(key.key)
        return added
      },
    }
  },
  ...keyed('owner-and-key: joins owner and key with a colon', ({ owner, key }) => ({
    owner: '',
    key: `${owner}:${key}`,
  })),
  ...keyed('owner-and-key: joins owner and key with a control character', ({ owner, key }) => ({
    owner: '',
    key: `${owner}\u001f${key}`,
  })),
  ...keyed('exact-key: compares keys in NFC', ({ key }) => ({ key: key.normalize('NFC') })),
  ...keyed('exact-key: ignores spaces around keys', ({ key }) => ({ key: key.trim() })),
  ...keyed('exact-owner: compares owners in NFKC', ({ owner }) => ({
    owner: owner.normalize('NFKC'),
  })),
  'exact-content: rejects content that stays too long for an index': (_, { addWithKey }) => ({
    addWithKey: async (pet, key) =>
      isTooLongForIndex(key.fingerprint) ? broken() : addWithKey(pet, key),
  }),
  ...keyed('exact-content: compares the first 4,000 bytes of content', ({ fingerprint }) => ({
    fingerprint: Buffer.from(fingerprint).subarray(0, 4_000).toString('latin1'),
  })),
  ...keyed('owner-and-key: concatenates owner and key', ({ owner, key }) => ({
    owner: '',
    key: owner + key,
  })),
  'exact-key exact-owner: takes keys and owners for patterns': ({ memory }, { addWithKey }) => ({
    async addWithKey(pet, used) {
      const isSame = (pattern: string, text: string) =>
        pattern.endsWith('*') ? text.startsWith(pattern.slice(0, -1)) : text === pattern
      const known = [...memory.keys.values()].find(
        ({ key }) => isSame(used.owner, key.owner) && isSame(used.key, key.key),
      )
      return addWithKey(pet, { ...used, ...known?.key })
    },
  }),
  ...keyed('exact-key: ignores the case of keys', ({ key }) => ({ key: key.toLowerCase() })),
  ...keyed('exact-key: cuts escaped keys to 400 characters', ({ key }) => ({
    key: JSON.stringify(key).slice(0, 400),
  })),
  ...keyed('exact-key: cuts keys to 254 characters', ({ key }) => ({ key: key.slice(0, 254) })),
  ...keyed('exact-content: ignores the case of content', ({ fingerprint }) => ({
    fingerprint: fingerprint.toLowerCase(),
  })),
  ...keyed('exact-content: compares content in NFC', ({ fingerprint }) => ({
    fingerprint: fingerprint.normalize('NFC'),
  })),
  ...keyed('exact-content: ignores spaces at the end of content', ({ fingerprint }) => ({
    fingerprint: fingerprint.trimEnd(),
  })),
  ...keyed('exact-content: compares the beginning of content', ({ fingerprint }) => ({
    fingerprint: fingerprint.slice(0, 255),
  })),
})
