import type { BulkAccess } from '@pet-store/persistence'
import { expect, it } from 'vitest'
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
  bulkFault('rejects an idempotency key that is stored', 'bulk.idempotency-keys', (bulk, original) => ({
    async writeIdempotencyKeys(keys) {
      if (keys.some((key) => bulk.pets.keys.has(bulk.pets.keyText(key)))) broken()
      return original.writeIdempotencyKeys(keys)
    },
  })),
  bulkFault('does not write who revoked an API key', 'bulk.api-keys', (_, { writeApiKeys }) => ({
    writeApiKeys: (keys) => writeApiKeys(keys.map(({ revokedBy: _by, ...key }) => key)),
  })),
  bulkFault('writes API keys until one is taken', 'bulk.api-keys.taken', (_, { writeApiKeys }) => ({
    async writeApiKeys(keys) {
      for (const key of keys) await writeApiKeys([key])
    },
  })),
  bulkFault('escapes only what most names have', 'bulk.lines.read', () => ({
    escaped: (value) => (value === undefined ? '\\N' : String(value).replaceAll('\t', '\\t').replaceAll('\n', '\\n')),
  })),
  bulkFault('reads an absent status as an empty one', 'bulk.lines.read', (_, { escaped }) => ({
    escaped: (value) => (value === undefined ? '' : escaped(value)),
  })),
  bulkFault('reads a page of lines too often', 'bulk.lines.read.page', (_, { readPetLines }) => ({
    readPetLines: ({ after, ...query }) =>
      readPetLines(after === undefined || after < 0n ? query : { ...query, after: after - 1n }),
  })),
  bulkFault('reads lines of every status', 'bulk.lines.read.page', (_, { readPetLines }) => ({
    readPetLines: ({ status: _status, ...query }) => readPetLines(query),
  })),
  bulkFault('reads lines beyond the limit', 'bulk.lines.read.page', (_, { readPetLines }) => ({
    readPetLines: (query) => readPetLines({ ...query, limit: query.limit + 1 }),
  })),
  bulkFault('takes escapes for text', 'bulk.lines.write bulk.lines.add', () => ({ unescaped: (text) => text })),
  bulkFault('takes an absent status for the text \\N', 'bulk.lines.write bulk.lines.add', (_, { petsOf }) => ({
    petsOf: (lines, fields) => petsOf(lines, fields).map((pet) => ({ status: '\\N' as 'sold', ...pet })),
  })),
  bulkFault('rounds integers of lines', 'bulk.lines.write bulk.lines.add', (_, { fieldOf }) => ({
    fieldOf: (field, text) => {
      const value = fieldOf(field, text)
      return typeof value === 'bigint' ? BigInt(Number(value)) : value
    },
  })),
  bulkFault('ignores lines whose id is taken', 'bulk.lines.write.taken', (_, { writePets }) => ({
    async writePets(pets) {
      for (const pet of pets) await writePets([pet]).catch(() => {})
    },
  })),
  bulkFault('cuts characters at the end of a message', 'bulk.lines.add', () => ({
    textOf(lines) {
      const decoder = new TextDecoder()
      let text = ''
      for (let start = 0; start < lines.length; start += 4_099) {
        text += decoder.decode(lines.subarray(start, start + 4_099))
      }
      return text
    },
  })),
  bulkFault('loses the last line', 'bulk.lines.add bulk.lines.write', (_, { textOf }) => ({
    textOf: (lines) => textOf(lines).replace(/[^\n]*\n$/, ''),
  })),
  bulkFault('adds lines without their progress', 'bulk.lines.add.progress', (_, { addPetLines }) => ({
    addPetLines: (lines) => addPetLines(lines),
  })),
  bulkFault('adds lines before it looks at the import', 'bulk.lines.add.progress', (bulk, { addPetLines }) => ({
    async addPetLines(lines, progress) {
      await addPetLines(lines)
      if (progress !== undefined) bulk.advance(progress)
    },
  })),
  bulkFault('adds lines until one is broken', 'bulk.lines.add.all-or-nothing', (_, { addPetLines }) => ({
    async addPetLines(lines, progress) {
      if (progress !== undefined) await addPetLines(Buffer.of(), progress)
      for (const line of Buffer.from(lines)
        .toString()
        .split(/(?<=\n)/))
        await addPetLines(Buffer.from(line))
    },
  })),
]

it('bulkAccessContract says which function bulk access lacks', async () => {
  const lacking = { readPetLines: undefined, writePetLines: undefined, addPetLines: undefined }
  const results = await Promise.all(
    bulkAccessContract.map(({ run }) => run(Object.assign(new FakeBulk(), lacking) as unknown as BulkAccess)),
  )
  expect(results.filter((result) => result !== undefined)).toEqual([
    ...Array.from({ length: 2 }, () => 'the adapter has no readPetLines'),
    ...Array.from({ length: 2 }, () => 'the adapter has no writePetLines'),
    ...Array.from({ length: 3 }, () => 'the adapter has no addPetLines'),
  ])
})

testContract('bulkAccessContract', bulkAccessContract, faults, () => new FakeBulk())
