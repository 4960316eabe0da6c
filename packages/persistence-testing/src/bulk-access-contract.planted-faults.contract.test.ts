import { INT64, type NewPet, type Pet } from '@pet-store/domain'
import { bulkAccessContract } from './bulk-access-contract.ts'
import { bulkImportFaults } from './testing/bulk-import-faults.test-support.ts'
import { bulkKeyFaults } from './testing/bulk-key-faults.test-support.ts'
import { FakeBulk } from './testing/fake-bulk.test-support.ts'
import { broken, faultsOf, isAfter, pause } from './testing/fault.test-support.ts'
import { testContract } from './testing/test-contract.test-support.ts'

function bytesOf(pets: readonly NewPet[] | readonly Pet[]): number {
  return pets.reduce((sum, { name }) => sum + Buffer.byteLength(name), 0)
}

const faults = faultsOf(() => new FakeBulk(), 'bulk', bulkKeyFaults, bulkImportFaults, {
  'read-at-once: counts pets once in a while': (_, { countPets }) => {
    let counted: Promise<number> | undefined
    return { countPets: () => (counted ??= countPets()) }
  },
  'add: adds in another order': (_, { addPets }) => ({
    addPets: (pets, progress) => addPets(pets.toReversed(), progress),
  }),
  'add add.all-or-nothing: adds at most 1,000 pets': (_, { addPets }) => ({
    addPets: (pets, progress) => addPets(pets.slice(0, 1000), progress),
  }),
  'add: rejects more than 2,000 pets': (_, { addPets }) => ({
    addPets: async (pets, progress) => (pets.length > 2_000 ? broken() : addPets(pets, progress)),
  }),
  'write.concurrent: looks for the ids, waits, and stores the pets': (bulk) => {
    const isConnected = isAfter(5)
    return {
      async writePets(pets) {
        if (pets.some(({ id }) => bulk.memory.pets.has(id))) broken()
        if (isConnected()) await pause()
        for (const pet of pets) bulk.memory.pets.set(pet.id, { ...pet })
      },
    }
  },
  'api-keys.taken-hash: looks for the hashes, waits, and stores the keys': (bulk) => {
    const { rows } = bulk.apiKeys
    const isConnected = isAfter(4)
    return {
      async writeApiKeys(keys) {
        const ids = new Set(keys.map(({ id }) => id))
        const taken = new Set(rows.filter(({ id }) => !ids.has(id)).map(({ sha256 }) => sha256))
        for (const { sha256 } of keys) {
          if (taken.has(sha256)) broken()
          taken.add(sha256)
        }
        if (isConnected()) await pause()
        rows.push(...keys)
      },
    }
  },
  'ids.none: cannot move ids past 0': (_, { movePetIdsPast }) => ({
    movePetIdsPast: async (id) => (id < 1n ? broken() : movePetIdsPast(id)),
  }),
  'ids.none: moves ids past a negative one': (bulk) => ({
    async movePetIdsPast(id) {
      if (bulk.memory.lastId === 0n || id > bulk.memory.lastId) bulk.memory.lastId = id
    },
  }),
  'write: reads pages after an id in the order of writing': (_, { readPets }) => ({
    readPets: async (query) =>
      query.after === undefined ? readPets(query) : (await readPets(query)).toReversed(),
  }),
  'rejected: keeps a connection for each call that it rejects': (_, { addPets, countPets }) => {
    let rejected = 0
    return {
      addPets: (pets, progress) =>
        addPets(pets, progress).catch((error: unknown) => {
          rejected += 1
          throw error
        }),
      countPets: async () => (rejected > 20 ? broken() : countPets()),
    }
  },
  'write.not-valid: writes only pets that a client may add': (_, { writePets }) => ({
    writePets: async (pets) =>
      pets.some(({ name }) => name.trim() === '') ? broken() : writePets(pets),
  }),
  'write.long-names: sends a page in one packet of 16 MiB': (_, { addPets }) => ({
    addPets: async (pets, progress) =>
      bytesOf(pets) > 2 ** 24 ? broken() : addPets(pets, progress),
  }),
  'write.long-names: writes a page in one packet of 16 MiB': (_, { writePets }) => ({
    writePets: async (pets) => (bytesOf(pets) > 2 ** 24 ? broken() : writePets(pets)),
  }),
  'write.many: writes a thousand pets at a time': (_, { writePets }) => ({
    async writePets(pets) {
      for (let start = 0; start < pets.length; start += 1_000)
        await writePets(pets.slice(start, start + 1_000))
    },
  }),
  'write.any-number: writes 20,000 pets at a time': (_, { writePets }) => ({
    async writePets(pets) {
      for (let start = 0; start < pets.length; start += 20_000)
        await writePets(pets.slice(start, start + 20_000))
    },
  }),
  'write.any-number: adds 20,000 pets at a time': (_, { addPets }) => ({
    async addPets(pets, progress) {
      for (let start = 0; start < pets.length; start += 20_000)
        await addPets(pets.slice(start, start + 20_000), progress)
    },
  }),
  'write.int64: reads pets from 0 on': (_, { readPets }) => ({
    readPets: ({ after = -1n, ...query }) => readPets({ ...query, after }),
  }),
  'write.int64: writes ids as unsigned': (_, { writePets }) => ({
    writePets: (pets) => writePets(pets.map((pet) => ({ ...pet, id: BigInt.asUintN(63, pet.id) }))),
  }),
  'api-keys.taken-hash: writes a thousand API keys at a time': (_, { writeApiKeys }) => ({
    async writeApiKeys(keys) {
      for (let start = 0; start < keys.length; start += 1_000)
        await writeApiKeys(keys.slice(start, start + 1_000))
    },
  }),
  'add: rounds categories': (_, { addPets }) => ({
    addPets: (pets, progress) =>
      addPets(
        pets.map((pet) => ({ ...pet, categoryId: BigInt(Number(pet.categoryId)) })),
        progress,
      ),
  }),
  'add.progress: does not store progress': { advance() {} },
  'add.all-or-nothing: adds pets one after the other': (_, { addPets }) => ({
    async addPets(pets, progress) {
      if (progress !== undefined) await addPets([], progress)
      for (const pet of pets) await addPets([pet])
    },
  }),
  'read: ignores the status': (_, { readPets }) => ({
    readPets: ({ status: _status, ...query }) => readPets(query),
  }),
  'read: takes an undefined position for the end': (_, { readPets }) => ({
    readPets: async (query) =>
      'after' in query && query.after === undefined ? [] : readPets(query),
  }),
  'read: skips a pet after each page': (_, { readPets }) => ({
    readPets: ({ after, ...query }) =>
      readPets(after === undefined ? query : { ...query, after: after + 1n }),
  }),
  'read: returns half of a page': (_, { readPets }) => ({
    readPets: ({ limit, ...query }) => readPets({ ...query, limit: Math.ceil(limit / 2) }),
  }),
  'write: does not list written pets by status': (_, { readPets, writePets }) => {
    const written = new Set<bigint>()
    return {
      readPets: async (query) =>
        (await readPets(query)).filter(({ id }) => query.status === undefined || !written.has(id)),
      async writePets(pets) {
        for (const { id } of pets) written.add(id)
        await writePets(pets)
      },
    }
  },
  'count: counts by pages of 4,999': (_, { countPets }) => ({
    async countPets() {
      const count = await countPets()
      return count === 4_999 ? count - 1 : count
    },
  }),
  'count: estimates the number of more than 1,000 pets': (_, { countPets }) => ({
    async countPets() {
      const count = await countPets()
      return count > 1_000 ? Math.round(count / 10) * 10 : count
    },
  }),
  'count: counts by the last id': (_, { lastPetId }) => ({
    countPets: async () => Number(await lastPetId()),
  }),
  'write: counts only pets that it has added': (_, { addPets }) => {
    let count = 0
    return {
      async addPets(pets, progress) {
        await addPets(pets, progress)
        count += pets.length
      },
      countPets: async () => count,
    }
  },
  'write: gives written pets new ids': (_, { addPets }) => ({
    writePets: (pets) => addPets(pets as unknown as Parameters<typeof addPets>[0]),
  }),
  'write.taken: stores the last of pets with one id': (_, { writePets }) => ({
    writePets: (pets) => writePets([...new Map(pets.map((pet) => [pet.id, pet])).values()]),
  }),
  'api-keys.taken-hash: stores the last of keys with one hash': (_, { writeApiKeys }) => ({
    writeApiKeys: (keys) =>
      writeApiKeys([...new Map(keys.map((key) => [key.sha256, key])).values()]),
  }),
  'write.taken: ignores pets whose id is taken': (_, { writePets }) => ({
    async writePets(pets) {
      for (const pet of pets) await writePets([pet]).catch(() => {})
    },
  }),
  'ids: does not move ids': { movePetIdsPast: async () => {} },
  'ids: does not move ids before the first pet': ({ memory }, { movePetIdsPast }) => ({
    movePetIdsPast: async (id) => (memory.pets.size === 0 ? undefined : movePetIdsPast(id)),
  }),
  'ids: moves ids back': (bulk) => ({
    async movePetIdsPast(id) {
      bulk.memory.lastId = id
    },
  }),
  'ids: gives ids beyond 64 bits': ({ memory }, { addPets }) => ({
    async addPets(pets, progress) {
      if (memory.lastId < INT64.max) return addPets(pets, progress)
      for (const pet of pets) {
        memory.lastId += 1n
        memory.pets.set(memory.lastId, { ...pet, id: memory.lastId })
      }
    },
  }),
  'ids: rounds the ids that it has passed': (bulk) => ({
    async movePetIdsPast(id) {
      bulk.memory.lastId = BigInt(Number(id))
    },
  }),
  'api-keys: does not write who revoked an API key': (_, { writeApiKeys }) => ({
    writeApiKeys: (keys) => writeApiKeys(keys.map(({ revokedBy: _by, ...key }) => key)),
  }),
  'api-keys: reads API keys by the time of their creation': (_, { readApiKeys }) => ({
    readApiKeys: async () =>
      (await readApiKeys()).toSorted(
        (one, other) => one.createdAt.getTime() - other.createdAt.getTime(),
      ),
  }),
  'api-keys: keeps the API key that is stored': (bulk, { writeApiKeys }) => ({
    writeApiKeys: (keys) =>
      writeApiKeys(keys.filter((key) => !bulk.apiKeys.rows.some(({ id }) => id === key.id))),
  }),
  'api-keys.exact: takes an end at 0 ms for none': (_, { writeApiKeys }) => ({
    writeApiKeys: (keys) =>
      writeApiKeys(
        keys.map(({ expiresAt, ...key }) => ({ ...key, ...(Number(expiresAt) && { expiresAt }) })),
      ),
  }),
  'sizes: reads one import less on a full page': (_, { readPetImports }) => ({
    async readPetImports() {
      const all = await readPetImports()
      return all.length === 64 ? all.slice(1) : all
    },
  }),
  'api-keys.taken-hash: writes API keys until one is taken': (_, { writeApiKeys }) => ({
    async writeApiKeys(keys) {
      for (const key of keys) await writeApiKeys([key])
    },
  }),
})

testContract('bulkAccessContract', bulkAccessContract, faults, () => new FakeBulk())
