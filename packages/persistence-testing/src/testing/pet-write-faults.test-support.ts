import {
  IDEMPOTENCY_KEY_LIFETIME_MS,
  INT64,
  PET_STATUSES,
  type Pet,
  PetError,
  type PetInput,
  type PetRepository,
} from '@pet-store/domain'
import { aNewPet } from '../new-pets.ts'
import { type FakePets, OPERATIONS, petFaults } from './fake-pets.test-support.ts'
import { BrokenOnPurpose, broken, type Fault, type Faults, pause } from './fault.test-support.ts'

const FIELDS = ['name', 'categoryId', 'status'] as const

const without = (field: keyof PetInput, pet: object): object =>
  Object.fromEntries(Object.entries(pet).filter(([key]) => key !== field))

/** What becomes of a name. */
const NAME_CHANGES: Readonly<Record<string, (name: string) => string>> = {
  'with quotes doubled': (name) => name.replaceAll("'", "''"),
  'without backslashes': (name) => name.replaceAll('\\', ''),
  'with placeholders filled': (name) => name.replaceAll('?', 'NULL'),
  'as numbers if possible': (name) => `${Number(name) || name}`,
  'in lower case': (name) => name.toLowerCase(),
  'with three bytes per character': (name) => name.replaceAll(/[\u{10000}-\u{10FFFF}]/gu, '?'),
  'without joiners': (name) => name.replaceAll('\u200D', ''),
  'in visual order': (name) => [...name].toReversed().join(''),
  'in NFC': (name) => name.normalize('NFC'),
  'in NFD': (name) => name.normalize('NFD'),
  trimmed: (name) => name.trim(),
  'without a byte order mark': (name) => name.replace(/^\uFEFF/, ''),
  'without control characters': (name) => name.replaceAll(/\p{Cc}/gu, ''),
  'without non-characters': (name) => name.replaceAll(/\p{Noncharacter_Code_Point}/gu, '\uFFFD'),
  'cut to 1,000 UTF-16 units': (name) => name.slice(0, 1000),
}

/** What becomes of a category id. */
const CATEGORY_CHANGES: Readonly<Record<string, (id: bigint) => unknown>> = {
  'of 0 as 1, as if it were absent': (id) => id || 1n,
  'without a sign': (id) => (id < 0n ? -id : id),
  'as doubles': (id) => BigInt(Number(id)),
  'as numbers if exact': (id) => (BigInt(Number(id)) === id ? Number(id) : id),
  'in 32 bits': (id) => BigInt.asIntN(32, id),
}

/** Stores something else in a field. */
const stores = <Field extends keyof PetInput>(
  group: string,
  field: Field,
  changes: Readonly<Record<string, (value: NonNullable<PetInput[Field]>) => unknown>>,
): readonly Faults<FakePets>[] =>
  Object.entries(changes).map(([how, change]) => ({
    [`${group}: stores it ${how}`]: {
      toRow: (pet) => ({ ...pet, [field]: change(pet[field] as NonNullable<PetInput[Field]>) }),
    },
  }))

const fieldFaults = petFaults(
  'pet.fields',
  ...OPERATIONS.flatMap((broken) => {
    const gives = (fault: string, change: (pet: Pet) => object): Faults<FakePets> => ({
      [`${fault} in ${broken}`]: { give: (pet, operation) => (operation === broken ? change(pet) : { ...pet }) },
    })
    return [
      ...FIELDS.map((field) => gives(`all: loses the ${field}`, (pet) => without(field, pet))),
      ...[undefined, null, 'available'].map((status) =>
        gives(`status: returns ${status} for an absent status`, (pet) => ({ status, ...pet })),
      ),
    ]
  }),
  ...PET_STATUSES.map(
    (status): Faults<FakePets> => ({
      [`status: does not know the status ${status}`]: {
        toRow: (pet) => (pet.status === status ? without('status', pet) : { ...pet }),
      },
    }),
  ),
  { 'all: returns a field of its own': { give: (pet) => ({ ...pet, createdAt: 0 }) } },
  ...stores('name', 'name', NAME_CHANGES),
  ...stores('category', 'categoryId', CATEGORY_CHANGES),
)

const addingFaults = petFaults('pet.add', {
  'ids: returns ids as numbers': (pets) => ({ nextId: () => pets.rows.length + 1 }),
  'ids: returns ids beyond int64': { nextId: () => INT64.max + 1n },
  'ids: gives decreasing ids': (pets) => ({ nextId: () => 1000n - ++pets.lastId }),
  'ids: gives an id twice': (pets) => ({ nextId: () => ++pets.lastId / 2n }),
  'ids: treats an equal pet as the same pet': (pets, { add }) => ({
    add: async (pet) => pets.rows.find(({ name }) => name === pet.name) ?? add(pet),
  }),
  'concurrent: reads the last id, waits, and writes it': (pets, { add }) => ({
    async add(pet) {
      const id = pets.lastId
      await pause()
      pets.lastId = id
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
  'visible-at-once: lists pets later than it adds them': (pets, { list }) => ({
    list: (query) => list(query).then((found) => found.filter(({ id }) => id !== pets.lastId)),
  }),
  'visible-at-once: finds pets later than it adds them': (pets) => ({
    hasId: (row, id) => row.id === id && id !== pets.lastId,
  }),
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
  'cancelled: stores a cancelled add a little later': (pets, { add }) => ({
    async add(pet, cancellation) {
      if (cancellation?.aborted) setTimeout(() => pets.insert(pet), 500)
      return add(pet, cancellation)
    },
  }),
  'cancelled-meanwhile: rejects an add that is cancelled in the queue, and stores it': (pets) => ({
    async add(pet, cancellation) {
      await pause()
      setTimeout(() => pets.insert(pet), 500)
      pets.throwIfCancelled(cancellation)
      return { ...pet, id: 1n }
    },
  }),
  'cancelled-meanwhile: uses up the key of an add that is cancelled in the queue': (pets, original) => ({
    async addWithKey(pet, key, cancellation) {
      await pause()
      if (cancellation?.aborted) pets.keys.set(pets.keyText(key), { key, pet: { ...pet, id: 1n } })
      return original.addWithKey(pet, key, cancellation)
    },
  }),
  'cancelled: ignores a cancellation': { throwIfCancelled: () => {} },
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

const idempotencyFaults = petFaults('pet.idempotency', {
  'repeat concurrent: ignores keys': { isExpired: () => true },
  'expired-concurrent: looks for an expired key, waits, and adds': (pets, { addWithKey }) => {
    return {
      async addWithKey(pet, key) {
        const known = pets.keys.get(pets.keyText(key))
        if (known === undefined || !pets.isExpired(known.key.at, key.at)) return addWithKey(pet, key)
        await pause()
        const added = pets.insert(pet)
        pets.keys.set(pets.keyText(key), { key, pet: added })
        return { pet: { ...added }, isReplay: false }
      },
    }
  },
  'any-time: deletes keys by its own clock': (pets, { addWithKey }) => ({
    async addWithKey(pet, key) {
      for (const [text, { key: stored }] of pets.keys) {
        if (stored.at.getTime() < Date.now() - IDEMPOTENCY_KEY_LIFETIME_MS) pets.keys.delete(text)
      }
      return addWithKey(pet, key)
    },
  }),
  'concurrent: looks for the key, waits, and adds': { gap: pause },
  'repeat: returns what is requested, not what was stored': (_, { addWithKey }) => ({
    addWithKey: (pet, key) => addWithKey(pet, key).then((added) => ({ ...added, pet: { ...pet, id: added.pet.id } })),
  }),
  'repeat concurrent: says of every call that it stored the pet': (_, original) => ({
    addWithKey: (pet, key) => original.addWithKey(pet, key).then((added) => ({ ...added, isReplay: false })),
  }),
  'other-content: does not compare content': { isSameContent: () => true },
  'other-content: stores other content before rejecting it': (_, original) => ({
    addWithKey: (pet, key) =>
      original.addWithKey(pet, key).catch((error) => original.add(pet).then(() => Promise.reject(error))),
  }),
  'other-content: rejects other content with another code': (_, { addWithKey }) => ({
    addWithKey: (pet, key) => addWithKey(pet, key).catch(() => Promise.reject(new PetError('pet_invalid', 'reused'))),
  }),
  'exact-owner: ignores the case of owners': {
    keyText: ({ owner, key }) => JSON.stringify([owner.toLowerCase(), key]),
  },
  'exact-owner: cuts owners to 20 characters': {
    keyText: ({ owner, key }) => JSON.stringify([owner.slice(0, 20), key]),
  },
  'many: forgets keys after 100 newer ones': (pets, { addWithKey }) => ({
    async addWithKey(pet, key) {
      const added = await addWithKey(pet, key)
      for (const text of [...pets.keys.keys()].slice(0, -100)) pets.keys.delete(text)
      return added
    },
  }),
  'exact-owner: concatenates owner and key': { keyText: ({ owner, key }) => owner + key },
  'other-content-concurrent: returns the running add for a key, whatever its content': (_, original) => {
    const running = new Map<string, ReturnType<PetRepository['addWithKey']>>()
    return {
      addWithKey(pet, key) {
        const adding = running.get(key.key) ?? pause().then(() => original.addWithKey(pet, key))
        running.set(key.key, adding)
        return adding
      },
    }
  },
  'exact-key: ignores the case of keys': { keyText: ({ key }) => key.toLowerCase() },
  'exact-key: cuts keys to 254 characters': { keyText: ({ key }) => key.slice(0, 254) },
  'exact-content: ignores the case of content': {
    isSameContent: (one, other) => one.toLowerCase() === other.toLowerCase(),
  },
  'exact-content: compares content in NFC': {
    isSameContent: (one, other) => one.normalize('NFC') === other.normalize('NFC'),
  },
  'exact-content: compares the beginning of content': {
    isSameContent: (one, other) => one.slice(0, 255) === other.slice(0, 255),
  },
  'repeat other-content: forgets keys too early': {
    isExpired: (first, now) => now.getTime() - first.getTime() >= 86_399_999,
  },
  'lifetime: never forgets keys': { isExpired: () => false },
  'lifetime: extends the lifetime of a key with each repeat': (pets, original) => ({
    async addWithKey(pet, key) {
      const added = await original.addWithKey(pet, key)
      pets.keys.set(pets.keyText(key), { key, pet: added.pet })
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

export const petWriteFaults: readonly Fault<PetRepository>[] = [...fieldFaults, ...addingFaults, ...idempotencyFaults]
