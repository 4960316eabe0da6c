import type { BulkAccess } from '@pet-store/persistence'
import { bulkAccessContract } from './bulk-access-contract.ts'
import { bulkFault, FakeBulk } from './testing/fake-bulk.test-support.ts'
import { broken, type Fault, testContract } from './testing/fault.test-support.ts'

const faults: readonly Fault<BulkAccess>[] = [
  bulkFault('adds in another order', 'bulk.add', (_, { addPets }) => ({
    addPets: (pets, progress) => addPets(pets.toReversed(), progress),
  })),
  bulkFault('adds at most 1,000 pets', 'bulk.add bulk.add.all-or-nothing', (_, { addPets }) => ({
    addPets: (pets, progress) => addPets(pets.slice(0, 1000), progress),
  })),
  bulkFault('rounds categories', 'bulk.add', (bulk) => {
    const insert = bulk.pets.insert.bind(bulk.pets)
    bulk.pets.insert = (pet) => insert({ ...pet, categoryId: BigInt(Number(pet.categoryId)) })
    return {}
  }),
  bulkFault('does not store progress', 'bulk.add.progress', () => ({ advance() {} })),
  bulkFault('stores another import under its id', 'bulk.add.other-import', () => ({ isWhere: () => true })),
  bulkFault('stores the pets before it looks at the import', 'bulk.add.other-import', (bulk, { addPets }) => ({
    async addPets(pets, progress) {
      await addPets(pets)
      if (progress !== undefined) bulk.advance(progress)
    },
  })),
  bulkFault('adds pets one after the other', 'bulk.add.all-or-nothing', (_, { addPets }) => ({
    async addPets(pets, progress) {
      if (progress !== undefined) await addPets([], progress)
      for (const pet of pets) await addPets([pet])
    },
  })),
  bulkFault('ignores the status', 'bulk.read', (_, { readPets }) => ({
    readPets: ({ status: _status, ...query }) => readPets(query),
  })),
  bulkFault('begins each page at the last pet of the one before', 'bulk.read', (bulk) => {
    bulk.pets.isAfter = (row, after) => after === undefined || row.id >= after
    return {}
  }),
  bulkFault('skips a pet after each page', 'bulk.read.pages', (_, { readPets }) => ({
    readPets: ({ after, ...query }) => readPets(after === undefined ? query : { ...query, after: after + 1n }),
  })),
  bulkFault('returns half of a page', 'bulk.read.pages', (_, { readPets }) => ({
    readPets: ({ limit, ...query }) => readPets({ ...query, limit: Math.ceil(limit / 2) }),
  })),
  bulkFault('does not list written pets by status', 'bulk.write', (bulk, { writePets }) => {
    const hasStatus = bulk.pets.hasStatus.bind(bulk.pets)
    const written = new Set<bigint>()
    bulk.pets.hasStatus = (row, status) => hasStatus(row, status) && (status === undefined || !written.has(row.id))
    return {
      async writePets(pets) {
        for (const { id } of pets) written.add(id)
        await writePets(pets)
      },
    }
  }),
  bulkFault('counts only pets that it has added', 'bulk.write', (_, { addPets }) => {
    let count = 0
    return {
      async addPets(pets, progress) {
        await addPets(pets, progress)
        count += pets.length
      },
      countPets: async () => count,
    }
  }),
  bulkFault('gives written pets new ids', 'bulk.write', (_, { addPets }) => ({
    writePets: (pets) => addPets(pets as unknown as Parameters<typeof addPets>[0]),
  })),
  bulkFault('stores written pets until an id is taken', 'bulk.write.taken', (_, { writePets }) => ({
    async writePets(pets) {
      for (const pet of pets) await writePets([pet])
    },
  })),
  bulkFault('ignores pets whose id is taken', 'bulk.write.taken', (_, { writePets }) => ({
    async writePets(pets) {
      for (const pet of pets) await writePets([pet]).catch(() => {})
    },
  })),
  bulkFault('does not move ids', 'bulk.ids', () => ({ movePetIdsPast: async () => {} })),
  bulkFault('moves ids back', 'bulk.ids', (bulk) => ({
    async movePetIdsPast(id) {
      bulk.pets.lastId = id
    },
  })),
  bulkFault('gives ids beyond 64 bits', 'bulk.ids.greatest', (bulk) => {
    bulk.pets.nextId = () => (bulk.pets.lastId += 1n)
    return {}
  }),
  bulkFault('rounds the ids that it has passed', 'bulk.ids.greatest', (bulk) => ({
    async movePetIdsPast(id) {
      bulk.pets.lastId = BigInt(Number(id))
    },
  })),
  bulkFault('keeps the import that is stored', 'bulk.imports', (bulk, { writePetImports }) => ({
    writePetImports: (items) =>
      writePetImports(items.filter(({ id }) => !bulk.imports.some((stored) => stored.id === id))),
  })),
  bulkFault('reads imports in the order of writing', 'bulk.imports', (bulk) => ({
    storeImport(item) {
      bulk.imports = [...bulk.imports.filter(({ id }) => id !== item.id), item]
    },
  })),
  bulkFault('reads idempotency keys without an order', 'bulk.idempotency-keys', (bulk) => ({
    readIdempotencyKeys: async (limit) =>
      [...bulk.pets.keys.values()].map(({ key, pet }) => ({ ...key, petId: pet.id })).slice(0, limit),
  })),
  bulkFault('goes on at the next owner', 'bulk.idempotency-keys', (_, { readIdempotencyKeys }) => ({
    async readIdempotencyKeys(limit, after) {
      const all = await readIdempotencyKeys(99)
      return all.filter(({ owner }) => after === undefined || owner > after.owner).slice(0, limit)
    },
  })),
  bulkFault('rejects an idempotency key that is stored', 'bulk.idempotency-keys', (bulk, original) => ({
    async writeIdempotencyKeys(keys) {
      if (keys.some((key) => bulk.pets.keys.has(bulk.pets.keyText(key)))) broken()
      return original.writeIdempotencyKeys(keys)
    },
  })),
  bulkFault('does not write who revoked an API key', 'bulk.api-keys', (_, { writeApiKeys }) => ({
    writeApiKeys: (keys) => writeApiKeys(keys.map(({ revokedBy: _by, ...key }) => key)),
  })),
  bulkFault('keeps the API key that is stored', 'bulk.api-keys.replaced', (bulk, { writeApiKeys }) => ({
    writeApiKeys: (keys) => writeApiKeys(keys.filter((key) => !bulk.apiKeys.rows.some(({ id }) => id === key.id))),
  })),
  bulkFault('writes API keys until one is taken', 'bulk.api-keys.taken-hash', (_, { writeApiKeys }) => ({
    async writeApiKeys(keys) {
      for (const key of keys) await writeApiKeys([key])
    },
  })),
]

testContract('bulkAccessContract', bulkAccessContract, faults, () => new FakeBulk())
