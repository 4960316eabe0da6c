import {
  IDEMPOTENCY_KEY_LIFETIME_MS,
  type Pet,
  PetError,
  type PetRepository,
} from '@pet-store/domain'
import { dated, type FakePets, petFaults, textOf } from './fake-pets.test-support.ts'
import { broken, type Fault, type Faults, isAfter, pause } from './fault.test-support.ts'
import { keyed } from './key-comparison-faults.test-support.ts'

/** Forgets stored keys before it uses one at a time. */
const forgets = (
  fault: string,
  isForgotten: (storedMs: number, usedMs: number) => boolean,
): Faults<FakePets> => ({
  [fault]: ({ memory }, { addWithKey }) => ({
    async addWithKey(pet, used) {
      for (const [text, { key }] of memory.keys) {
        if (isForgotten(key.at.getTime(), dated(used).at.getTime())) memory.keys.delete(text)
      }
      return addWithKey(pet, used)
    },
  }),
})

export const idempotencyFaults: readonly Fault<PetRepository>[] = petFaults('pet.idempotency', {
  'known-beside-new: returns the pet of another call at the same time': (_, { addWithKey }) => {
    let other: Pet | undefined
    return {
      async addWithKey(pet, key) {
        const created = await addWithKey(pet, key)
        const found = other
        other = created.pet
        setImmediate(() => {
          other = undefined
        })
        return created.isReplay && found !== undefined ? { ...created, pet: found } : created
      },
    }
  },
  ...forgets('repeat concurrent: ignores keys', () => true),
  'expired-concurrent: looks for an expired key, waits, and adds': (
    { memory },
    { addWithKey },
  ) => ({
    async addWithKey(pet, key) {
      const known = memory.keys.get(textOf(key))
      if (
        known === undefined ||
        dated(key).at.getTime() - known.key.at.getTime() < IDEMPOTENCY_KEY_LIFETIME_MS
      ) {
        return addWithKey(pet, key)
      }
      await pause()
      memory.keys.delete(textOf(key))
      return addWithKey(pet, key)
    },
  }),
  'expired-cancelled: deletes an expired key, and then looks whether the caller waits': (
    { memory },
    { addWithKey },
  ) => ({
    async addWithKey(pet, key, cancellation) {
      const known = memory.keys.get(textOf(key))
      if (
        known !== undefined &&
        dated(key).at.getTime() - known.key.at.getTime() >= IDEMPOTENCY_KEY_LIFETIME_MS
      ) {
        memory.keys.delete(textOf(key))
        await pause()
      }
      return addWithKey(pet, key, cancellation)
    },
  }),
  ...forgets(
    'any-time: deletes keys by its own clock',
    (storedMs) => storedMs < Date.now() - IDEMPOTENCY_KEY_LIFETIME_MS,
  ),
  'own-time: takes a call without a time for one of 1970': (_, { addWithKey }) => ({
    addWithKey: (pet, key) => addWithKey(pet, { ...key, at: key.at ?? new Date(0) }),
  }),
  'own-time: takes a known key for a new one only if a call has a time': (_, { addWithKey }) => {
    const known = new Map<string, ReturnType<PetRepository['addWithKey']>>()
    return {
      async addWithKey(pet, key) {
        const first = key.at === undefined ? known.get(textOf(key)) : undefined
        if (first !== undefined) return { ...(await first), isReplay: true }
        const adding = addWithKey(pet, key)
        known.set(textOf(key), adding)
        return adding
      },
    }
  },
  'others: deletes other keys after half of their lifetime': ({ memory }, { addWithKey }) => ({
    addWithKey(pet, key) {
      for (const [text, entry] of memory.keys) {
        const ageMs = dated(key).at.getTime() - entry.key.at.getTime()
        if (text !== textOf(key) && ageMs > IDEMPOTENCY_KEY_LIFETIME_MS / 2)
          memory.keys.delete(text)
      }
      return addWithKey(pet, key)
    },
  }),
  'own-time: cannot be given an undefined time': (_, { addWithKey }) => ({
    addWithKey: async (pet, key) =>
      'at' in key && key.at === undefined ? broken() : addWithKey(pet, key),
  }),
  'concurrent: looks for the key, waits, and adds': ({ memory }, { addWithKey }) => {
    const isConnected = isAfter(50)
    return {
      async addWithKey(pet, key) {
        const isKnown = memory.keys.has(textOf(key))
        if (isConnected()) await pause()
        if (!isKnown) memory.keys.delete(textOf(key))
        return addWithKey(pet, key)
      },
    }
  },
  'repeat: returns what is requested, not what was stored': (_, { addWithKey }) => ({
    addWithKey: (pet, key) =>
      addWithKey(pet, key).then((added) => ({ ...added, pet: { ...pet, id: added.pet.id } })),
  }),
  'repeat concurrent: says of every call that it stored the pet': (_, original) => ({
    addWithKey: (pet, key) =>
      original.addWithKey(pet, key).then((added) => ({ ...added, isReplay: false })),
  }),
  ...keyed('other-content: does not compare content', () => ({ fingerprint: '' })),
  'other-content: stores other content before rejecting it': (_, original) => ({
    addWithKey: (pet, key) =>
      original
        .addWithKey(pet, key)
        .catch((error) => original.add(pet).then(() => Promise.reject(error))),
  }),
  'other-content: rejects other content with another code': (_, { addWithKey }) => ({
    addWithKey: (pet, key) =>
      addWithKey(pet, key).catch(() => Promise.reject(new PetError('pet_invalid', 'reused'))),
  }),
  'many: forgets keys after 1,000 newer ones': ({ memory }, { addWithKey }) => ({
    async addWithKey(pet, key) {
      const added = await addWithKey(pet, key)
      for (const text of [...memory.keys.keys()].slice(0, -1_000)) memory.keys.delete(text)
      return added
    },
  }),
  ...forgets(
    'earlier: takes a repeat with an earlier time for a first use',
    (storedMs, usedMs) => usedMs < storedMs,
  ),
  ...forgets(
    'earlier: forgets keys of a time that differs by an hour in either direction',
    (storedMs, usedMs) => storedMs - usedMs >= 3_600_000,
  ),
  'earlier: begins the lifetime of a key with the earliest call': ({ memory }, original) => ({
    async addWithKey(pet, key) {
      const added = await original.addWithKey(pet, key)
      const known = memory.keys.get(textOf(key))
      if (known !== undefined && dated(key).at < known.key.at)
        memory.keys.set(textOf(key), { key: dated(key), id: added.pet.id })
      return added
    },
  }),
  'rejected-repeat: extends the lifetime of a key with each rejected call': (
    { memory },
    { addWithKey },
  ) => ({
    addWithKey: (pet, key) =>
      addWithKey(pet, key).catch((error) => {
        const known = memory.keys.get(textOf(key))
        if (known !== undefined)
          memory.keys.set(textOf(key), { ...known, key: { ...known.key, at: dated(key).at } })
        throw error
      }),
  }),
  'other-content-concurrent: returns the running add for a key, whatever its content': (
    _,
    original,
  ) => {
    const running = new Map<string, ReturnType<PetRepository['addWithKey']>>()
    return {
      addWithKey(pet, key) {
        const adding = running.get(key.key) ?? pause().then(() => original.addWithKey(pet, key))
        running.set(key.key, adding)
        return adding
      },
    }
  },
  'beside-reads: stores a pet, and deletes it if its key is known': (
    { memory },
    { addWithKey },
  ) => ({
    async addWithKey(pet, key) {
      memory.lastId += 1n
      const { lastId: id } = memory
      memory.pets.set(id, { ...pet, id })
      await new Promise((resolve) => setImmediate(resolve))
      memory.pets.delete(id)
      return addWithKey(pet, key)
    },
  }),
  'cancelled-beside: gives the result of a running call to equal ones': (_, original) => {
    const running = new Map<string, ReturnType<PetRepository['addWithKey']>>()
    return {
      async addWithKey(pet, key, cancellation) {
        const text = textOf(key) + key.fingerprint
        const first = running.get(text)
        if (first !== undefined) return { pet: { ...(await first).pet }, isReplay: true }
        const adding = pause().then(() => original.addWithKey(pet, key, cancellation))
        running.set(text, adding)
        return adding.finally(() => running.delete(text))
      },
    }
  },
  ...forgets(
    'repeat other-content: forgets keys too early',
    (storedMs, usedMs) => usedMs - storedMs >= 86_399_999,
  ),
  ...keyed('lifetime: never forgets keys', () => ({ at: new Date(0) })),
  'lifetime: extends the lifetime of a key with each repeat': ({ memory }, original) => ({
    async addWithKey(pet, key) {
      const added = await original.addWithKey(pet, key)
      memory.keys.set(textOf(key), { key: dated(key), id: added.pet.id })
      return added
    },
  }),
  'rejected: uses up a key before it stores': (_, { addWithKey }) => {
    const used = new Set<string>()
    return {
      async addWithKey(pet, key) {
        if (used.has(key.key)) broken()
        used.add(key.key)
        return addWithKey(pet, key)
      },
    }
  },
})
