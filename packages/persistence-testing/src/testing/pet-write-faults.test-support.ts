import {
  IDEMPOTENCY_KEY_LIFETIME_MS,
  INT64,
  PET_STATUSES,
  PetError,
  type PetInput,
  type PetRepository,
} from '@pet-store/domain'
import { aNewPet } from '../new-pets.ts'
import { ids, OPERATIONS, petFault } from './fake-pets.test-support.ts'
import { BrokenOnPurpose, broken, type Fault, pause } from './fault.test-support.ts'

const FIELDS = ['name', 'categoryId', 'status'] as const

const without = (field: keyof PetInput, pet: object): object =>
  Object.fromEntries(Object.entries(pet).filter(([key]) => key !== field))

const storesName = (what: string, id: string, change: (name: string) => string) =>
  petFault(`stores names ${what}`, `pet.fields.name.${id}`, () => ({
    toRow: (pet) => ({ ...pet, name: change(pet.name) }),
  }))

const storesCategory = (what: string, ids: readonly bigint[], change: (id: bigint) => unknown) =>
  petFault(`stores category ids ${what}`, ids.map((id) => `pet.fields.category.${id}`).join(' '), () => ({
    toRow: (pet) => ({ ...pet, categoryId: change(pet.categoryId) }),
  }))

const fieldFaults: readonly Fault<PetRepository>[] = [
  ...OPERATIONS.flatMap((broken) =>
    FIELDS.map((field) =>
      petFault(`loses the ${field} in ${broken}`, 'pet.fields.all', () => ({
        give: (pet, operation) => (operation === broken ? without(field, pet) : { ...pet }),
      })),
    ),
  ),
  ...OPERATIONS.flatMap((broken) =>
    [undefined, null, 'available'].map((status) =>
      petFault(`returns ${status} for an absent status in ${broken}`, 'pet.fields.no-status', () => ({
        give: (pet, operation) => (operation === broken ? { status, ...pet } : { ...pet }),
      })),
    ),
  ),
  petFault('returns a field of its own', 'pet.fields.all', () => ({ give: (pet) => ({ ...pet, createdAt: 0 }) })),
  ...PET_STATUSES.map((status) =>
    petFault(`does not know the status ${status}`, `pet.fields.status.${status}`, () => ({
      toRow: (pet) => (pet.status === status ? without('status', pet) : { ...pet }),
    })),
  ),
  storesName('with quotes doubled', 'sql', (name) => name.replaceAll("'", "''")),
  storesName('without backslashes', 'sql', (name) => name.replaceAll('\\', '')),
  storesName('with placeholders filled', 'placeholders', (name) => name.replaceAll('?', 'NULL')),
  storesName('as numbers if possible', 'other-types', (name) => `${Number(name) || name}`),
  storesName('in lower case', 'case', (name) => name.toLowerCase()),
  storesName('with three bytes per character', 'emoji', (name) => name.replaceAll(/[\u{10000}-\u{10FFFF}]/gu, '?')),
  storesName('without joiners', 'emoji', (name) => name.replaceAll('\u200D', '')),
  storesName('in visual order', 'right-to-left', (name) => [...name].toReversed().join('')),
  storesName('in NFC', 'not-normalised', (name) => name.normalize('NFC')),
  storesName('in NFD', 'not-normalised', (name) => name.normalize('NFD')),
  storesName('trimmed', 'not-trimmed', (name) => name.trim()),
  storesName('without a byte order mark', 'not-trimmed', (name) => name.replace(/^\uFEFF/, '')),
  storesName('without control characters', 'control-characters', (name) => name.replaceAll(/\p{Cc}/gu, '')),
  storesName('without non-characters', 'control-characters', (name) =>
    name.replaceAll(/\p{Noncharacter_Code_Point}/gu, '\uFFFD'),
  ),
  storesName('cut to 1,000 UTF-16 units', 'longest', (name) => name.slice(0, 1000)),
  storesCategory('of 0 as 1, as if it were absent', [0n], (id) => id || 1n),
  storesCategory('without a sign', [-1n, -(2n ** 53n), INT64.min], (id) => (id < 0n ? -id : id)),
  storesCategory('as doubles', [2n ** 53n + 1n, -(2n ** 53n) - 1n, INT64.max], (id) => BigInt(Number(id))),
  storesCategory('as numbers if exact', [2n ** 53n - 1n, -(2n ** 53n) + 1n, 2n ** 53n], (id) =>
    BigInt(Number(id)) === id ? Number(id) : id,
  ),
  storesCategory('in 32 bits', [2n ** 53n, -(2n ** 53n), INT64.min], (id) => BigInt.asIntN(32, id)),
]

const addingFaults: readonly Fault<PetRepository>[] = [
  petFault('returns ids as numbers', 'pet.add.int64-ids', (pets) => ({ nextId: () => pets.rows.length + 1 })),
  petFault('returns ids beyond int64', 'pet.add.int64-ids', () => ({ nextId: () => INT64.max + 1n })),
  petFault('gives decreasing ids', 'pet.add.increasing-ids', (pets) => ({ nextId: () => 1000n - ++pets.lastId })),
  petFault('gives an id twice', 'pet.add.increasing-ids', (pets) => ({ nextId: () => ++pets.lastId / 2n })),
  petFault('treats an equal pet as the same pet', 'pet.add.equal-pets', (pets, { add }) => ({
    add: async (pet) => pets.rows.find(({ name }) => name === pet.name) ?? add(pet),
  })),
  petFault('reads the last id, waits, and writes it', ids('pet.add', 'concurrent-ids concurrent'), (pets, { add }) => ({
    async add(pet) {
      const id = pets.lastId
      await pause()
      pets.lastId = id
      return add(pet)
    },
  })),
  petFault('loses a pet that arrives while another is added', 'pet.add.concurrent', (pets, { add }) => {
    let busy = 0
    return {
      async add(pet) {
        const isAlone = busy++ === 0
        await pause()
        busy -= 1
        return isAlone ? add(pet) : { ...pet, id: ++pets.lastId }
      },
    }
  }),
  petFault('gives concurrent callers decreasing ids', 'pet.add.increasing-ids-per-caller', (_, { add }) => {
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
  }),
  petFault('lists pets later than it adds them', 'pet.add.visible-at-once', (pets, { list }) => ({
    list: (query) => list(query).then((found) => found.filter(({ id }) => id !== pets.lastId)),
  })),
  petFault('finds pets later than it adds them', 'pet.add.visible-at-once', (pets) => ({
    hasId: (row, id) => row.id === id && id !== pets.lastId,
  })),
  petFault('leaves an empty pet behind when an add fails', 'pet.add.rejected', (_, { add }) => ({
    add: (pet) => add(pet).catch((error) => add(aNewPet()).then(() => Promise.reject(error))),
  })),
  petFault('returns some pet when an add fails', 'pet.add.rejected', (_, { add }) => ({
    add: (pet) => add(pet).catch(() => ({ id: 1n, name: 'Rex', categoryId: 1n })),
  })),
  petFault('rejects everything after one failed add', 'pet.add.rejected', (_, { add }) => {
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
  }),
  petFault('stores a cancelled add a little later', 'pet.add.cancelled', (pets, { add }) => ({
    async add(pet, cancellation) {
      if (cancellation?.aborted) setTimeout(() => pets.insert(pet), 500)
      return add(pet, cancellation)
    },
  })),
  petFault('rejects an add that is cancelled in the queue, and stores it', 'pet.add.cancelled-meanwhile', (pets) => ({
    async add(pet, cancellation) {
      await pause()
      setTimeout(() => pets.insert(pet), 500)
      pets.expectWanted(cancellation)
      return { ...pet, id: 1n }
    },
  })),
  petFault(
    'uses up the key of an add that is cancelled in the queue',
    'pet.add.cancelled-meanwhile',
    (pets, original) => ({
      async addWithKey(pet, key, cancellation) {
        await pause()
        if (cancellation?.aborted) pets.keys.set(pets.keyText(key), { key, pet: { ...pet, id: 1n } })
        return original.addWithKey(pet, key, cancellation)
      },
    }),
  ),
  petFault('ignores a cancellation', 'pet.add.cancelled', () => ({ expectWanted: () => {} })),
  petFault('stores a pet and rejects its add', 'pet.add.rejected-beside-others', (_, { add }) => ({
    add: (pet) => add(pet).then((stored) => (stored.categoryId > INT64.max ? broken() : stored)),
  })),
  petFault('adds in batches that fail as a whole', 'pet.add.rejected-beside-others', (_, { add }) => {
    let batch: Promise<unknown> = Promise.resolve()
    return {
      add(pet) {
        const stored = Promise.all([batch, add(pet)]).then(([, added]) => added)
        batch = stored
        return stored
      },
    }
  }),
]

const idempotencyFaults: readonly Fault<PetRepository>[] = [
  petFault('ignores keys', ids('pet.idempotency', 'repeat concurrent'), () => ({ isExpired: () => true })),
  petFault(
    'looks for an expired key, waits, and adds',
    'pet.idempotency.expired-concurrent',
    (pets, { addWithKey }) => {
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
  ),
  petFault('deletes keys by its own clock', 'pet.idempotency.any-time', (pets, { addWithKey }) => ({
    async addWithKey(pet, key) {
      for (const [text, { key: stored }] of pets.keys) {
        if (stored.at.getTime() < Date.now() - IDEMPOTENCY_KEY_LIFETIME_MS) pets.keys.delete(text)
      }
      return addWithKey(pet, key)
    },
  })),
  petFault('looks for the key, waits, and adds', 'pet.idempotency.concurrent', () => ({ gap: pause })),
  petFault('returns what is requested, not what was stored', 'pet.idempotency.repeat', (_, { addWithKey }) => ({
    addWithKey: (pet, key) => addWithKey(pet, key).then((added) => ({ ...added, pet: { ...pet, id: added.pet.id } })),
  })),
  petFault(
    'says of every call that it stored the pet',
    ids('pet.idempotency', 'is-replay concurrent'),
    (_, original) => ({
      addWithKey: (pet, key) => original.addWithKey(pet, key).then((added) => ({ ...added, isReplay: false })),
    }),
  ),
  petFault('does not compare content', 'pet.idempotency.other-content', () => ({ isSameContent: () => true })),
  petFault('stores other content before rejecting it', 'pet.idempotency.other-content', (_, original) => ({
    addWithKey: (pet, key) =>
      original.addWithKey(pet, key).catch((error) => original.add(pet).then(() => Promise.reject(error))),
  })),
  petFault('rejects other content with another code', 'pet.idempotency.other-content', (_, { addWithKey }) => ({
    addWithKey: (pet, key) => addWithKey(pet, key).catch(() => Promise.reject(new PetError('pet_invalid', 'reused'))),
  })),
  petFault('ignores the owner of a key', 'pet.idempotency.owners', () => ({ keyText: ({ key }) => key })),
  petFault('ignores the case of owners', 'pet.idempotency.exact-owner', () => ({
    keyText: ({ owner, key }) => JSON.stringify([owner.toLowerCase(), key]),
  })),
  petFault('cuts owners to 20 characters', 'pet.idempotency.exact-owner', () => ({
    keyText: ({ owner, key }) => JSON.stringify([owner.slice(0, 20), key]),
  })),
  petFault('forgets keys after 100 newer ones', 'pet.idempotency.many', (pets, { addWithKey }) => ({
    async addWithKey(pet, key) {
      const added = await addWithKey(pet, key)
      for (const text of [...pets.keys.keys()].slice(0, -100)) pets.keys.delete(text)
      return added
    },
  })),
  petFault('concatenates owner and key', 'pet.idempotency.owners', () => ({
    keyText: ({ owner, key }) => owner + key,
  })),
  petFault(
    'returns the running add for a key, whatever its content',
    'pet.idempotency.other-content-concurrent',
    (_, original) => {
      const running = new Map<string, ReturnType<PetRepository['addWithKey']>>()
      return {
        addWithKey(pet, key) {
          const adding = running.get(key.key) ?? pause().then(() => original.addWithKey(pet, key))
          running.set(key.key, adding)
          return adding
        },
      }
    },
  ),
  petFault('ignores the case of keys', 'pet.idempotency.exact-key', () => ({
    keyText: ({ key }) => key.toLowerCase(),
  })),
  petFault('cuts keys to 254 characters', 'pet.idempotency.exact-key', () => ({
    keyText: ({ key }) => key.slice(0, 254),
  })),
  petFault('ignores the case of content', 'pet.idempotency.exact-content', () => ({
    isSameContent: (one, other) => one.toLowerCase() === other.toLowerCase(),
  })),
  petFault('compares content in NFC', 'pet.idempotency.exact-content', () => ({
    isSameContent: (one, other) => one.normalize('NFC') === other.normalize('NFC'),
  })),
  petFault('compares the beginning of content', 'pet.idempotency.exact-content', () => ({
    isSameContent: (one, other) => one.slice(0, 255) === other.slice(0, 255),
  })),
  petFault('forgets keys too early', ids('pet.idempotency', 'repeat other-content'), () => ({
    isExpired: (first, now) => now.getTime() - first.getTime() >= 86_399_999,
  })),
  petFault('never forgets keys', 'pet.idempotency.lifetime', () => ({ isExpired: () => false })),
  petFault(
    'extends the lifetime of a key with each repeat',
    'pet.idempotency.repeat-does-not-extend',
    (pets, original) => ({
      async addWithKey(pet, key) {
        const added = await original.addWithKey(pet, key)
        pets.keys.set(pets.keyText(key), { key, pet: added.pet })
        return added
      },
    }),
  ),
  petFault('uses up a key before it stores', 'pet.idempotency.rejected', (_, { addWithKey }) => {
    const used = new Set<string>()
    return {
      async addWithKey(pet, key) {
        if (used.has(key.key)) broken()
        used.add(key.key)
        return addWithKey(pet, key)
      },
    }
  }),
]

export const petWriteFaults: readonly Fault<PetRepository>[] = [...fieldFaults, ...addingFaults, ...idempotencyFaults]
