import { INT64, type NewPet, PET_STATUSES, type Pet } from '@pet-store/domain'
import type {
  BulkAccess,
  PetImport,
  StoredApiKey,
  StoredIdempotencyKey,
} from '@pet-store/persistence'
import { type ContractCase, casesOf, expectEqual, expectRejection } from './contract-case.ts'
import { after, hashOf } from './new-api-keys.ts'
import { aNewPet, anUnreadablePet, withoutId } from './new-pets.ts'

const ODD: readonly NewPet[] = [
  aNewPet({ name: 'Top', categoryId: INT64.max, status: 'sold' }),
  aNewPet({ name: 'Bottom', categoryId: INT64.min }),
  aNewPet({
    name: ' it\'s "odd"\\,{}\t\r\n🐕 NULL ',
    categoryId: 2n ** 53n + 1n,
    status: 'pending',
  }),
  aNewPet({ name: 'NULL', categoryId: 0n, status: 'available' }),
]
const MANY: readonly NewPet[] = Array.from({ length: 5_000 }, (_, index) =>
  aNewPet({ name: `Pet ${index}`, categoryId: BigInt(index) }),
)
const ALL = 1_000_000

const importOf = (fields: Partial<PetImport> = {}): PetImport => ({
  ...{ id: 1n, sha256: hashOf('a'), state: 'unfinished', lines: 1, changedAt: after(5) },
  ...fields,
})
const keyOf = (owner: string, key: string, petId: bigint): StoredIdempotencyKey => ({
  ...{ owner, key, fingerprint: 'f', petId, at: after(5) },
})
const apiKeyOf = (name: string, fields: Partial<StoredApiKey> = {}): StoredApiKey => ({
  ...{
    id: `key_${name}`,
    sha256: hashOf(name),
    name: 'kiosk',
    scopes: ['pets:read'],
    createdAt: after(1),
    ...fields,
  },
})

/**
 * The contract of `BulkAccess` by itself. What it has in common with an open adapter is in
 * `persistence-cases/`.
 */
export const bulkAccessContract: readonly ContractCase<BulkAccess>[] = casesOf('bulk', {
  'add: gives many new pets ascending ids in their order, and returns them exactly': async (
    bulk,
  ) => {
    expectEqual(
      [await bulk.countPets(), await bulk.lastPetId()],
      [0, 0n],
      'the number and last id of an empty database',
    )
    await bulk.addPets(ODD)
    await bulk.addPets([])
    await bulk.addPets(MANY)
    const stored = await bulk.readPets({ limit: ALL })
    expectEqual(stored.map(withoutId), [...ODD, ...MANY], 'the pets in the order of their ids')
    expectEqual(await bulk.countPets(), ODD.length + MANY.length, 'the number of pets')
    expectEqual(await bulk.lastPetId(), stored.at(-1)?.id, 'the last id')
  },
  'add.progress: stores many new pets together with the progress of their import': async (bulk) => {
    const [first, second, end] = [importOf(), importOf({ lines: 2 ** 52 + 1 }), ended()]
    await bulk.addPets(ODD, { to: first })
    expectEqual(await bulk.readPetImports(), [first], 'the import that has begun')
    await bulk.addPets(ODD, { from: first, to: second })
    await bulk.addPets([], { from: second, to: end })
    expectEqual(await bulk.readPetImports(), [end], 'the import that has ended')
    expectEqual(await bulk.countPets(), 2 * ODD.length, 'the number of pets')
  },
  'add.other-import: stores neither pets nor progress when another process has begun or advanced the import':
    async (bulk) => {
      const first = importOf()
      await bulk.addPets(ODD, { to: first })
      const to = importOf({ lines: 7 })
      const ofOtherFile = importOf({ sha256: hashOf('other') })
      for (const from of [
        undefined,
        importOf({ id: 2n }),
        importOf({ lines: 2 }),
        ended(),
        ofOtherFile,
      ]) {
        await expectRejection(
          () => bulk.addPets(ODD, { to, ...(from && { from }) }),
          'addPets must reject an import that is not where from says',
        )
      }
      await expectRejection(
        () => bulk.addPets(ODD, { from: ofOtherFile, to: { ...ofOtherFile, lines: 7 } }),
        'addPets must reject to continue with another file an import that has its id',
      )
      expectEqual(await bulk.countPets(), ODD.length, 'the number of pets')
      expectEqual(await bulk.readPetImports(), [first], 'the import must not change')
    },
  'add.all-or-nothing: stores all new pets of a call or none, with their import': async (bulk) => {
    const pets = [...MANY, anUnreadablePet('name')]
    await expectRejection(
      async () => bulk.addPets(pets, { to: importOf() }),
      'addPets must reject an unreadable pet',
    )
    expectEqual(await bulk.countPets(), 0, 'the number of pets')
    expectEqual(await bulk.readPetImports(), [], 'the imports')
    await bulk.addPets(ODD, { to: importOf() })
    expectEqual(await bulk.countPets(), ODD.length, 'the number of pets after the next call')
  },
  'read: reads every pet once, over several pages, each of them full but the last, of a status too':
    async (bulk) => {
      await bulk.addPets([...ODD, ...MANY.slice(0, 5), ...ODD])
      const all = await bulk.readPets({ limit: ALL })
      for (const status of [undefined, 'sold'] as const) {
        const query = status === undefined ? { limit: 3 } : { limit: 1, status }
        const expected = all.filter((pet) => status === undefined || pet.status === status)
        const read: Pet[] = []
        for (let pages = 0; pages < 9; pages += 1) {
          const last = read.at(-1)
          const page = await bulk.readPets({ ...query, ...(last && { after: last.id }) })
          const wanted = expected.slice(read.length, read.length + query.limit)
          expectEqual(
            page,
            wanted,
            `${query.limit} pets with the status ${status} after ${last?.id}`,
          )
          if (page.length === 0) break
          read.push(...page)
        }
      }
    },
  'write: stores pets under the ids that they have, for every kind of read': async (bulk) => {
    const ids = [2n ** 53n + 1n, 7n, 2n ** 62n, 5n]
    const pets = ids.map((id, index) => ({ id, ...(ODD[index] as NewPet) }))
    await bulk.writePets(pets)
    await bulk.writePets([])
    const expected = pets.toSorted((one, other) => (one.id < other.id ? -1 : 1))
    expectEqual(await bulk.readPets({ limit: ALL }), expected, 'the pets by ascending id')
    expectEqual(await bulk.countPets(), ids.length, 'the number of pets')
    for (const status of PET_STATUSES) {
      const withStatus = expected.filter((pet) => pet.status === status)
      expectEqual(
        await bulk.readPets({ status, limit: ALL }),
        withStatus,
        `the pets with the status ${status}`,
      )
    }
    const rest = await bulk.readPets({ after: 7n, limit: ALL })
    expectEqual(rest, expected.slice(2), 'the pets after an id')
  },
  'write.taken: stores none of the pets of a call when an id is taken': async (bulk) => {
    const stored = [{ id: 5n, ...aNewPet({ name: 'first' }) }]
    await bulk.writePets(stored)
    const more = [4n, 5n, 6n].map((id) => ({ id, ...aNewPet() }))
    await expectRejection(async () => bulk.writePets(more), 'writePets must reject a taken id')
    expectEqual(await bulk.readPets({ limit: ALL }), stored, 'the stored pets must not change')
  },
  'write.many: stores thousands of pets of a call, and none of them when the last id is taken':
    async (bulk) => {
      const many = MANY.map((pet, index) => ({ id: BigInt(index + 1), ...pet }))
      await bulk.writePets(many)
      expectEqual(await bulk.readPets({ limit: MANY.length }), many, 'all pets')
      const more = many.map((pet) => ({ ...pet, id: pet.id + BigInt(MANY.length) }))
      const taken = { ...more[0], id: 1n } as Pet
      await expectRejection(
        async () => bulk.writePets([...more, taken]),
        'writePets must reject a taken id',
      )
      expectEqual(await bulk.countPets(), MANY.length, 'the number of pets')
    },
  'write.int64: writes and reads pets under ids over all of int64': async (bulk) => {
    const ids = [
      INT64.min,
      INT64.min + 1n,
      -(2n ** 53n) - 1n,
      -1n,
      0n,
      1n,
      2n ** 53n + 1n,
      INT64.max,
    ]
    const pets = ids.map((id) => ({ id, ...aNewPet({ status: 'sold' }) }))
    await bulk.writePets(pets)
    expectEqual(await bulk.readPets({ limit: ALL }), pets, 'all pets')
    for (const [index, after] of ids.entries()) {
      for (const query of [{}, { status: 'sold' }] as const) {
        const rest = await bulk.readPets({ ...query, after, limit: ALL })
        expectEqual(rest, pets.slice(index + 1), `the pets after the id ${after}`)
      }
    }
  },
  'ids: moves the ids of new pets forwards, never back, up to the greatest integer of 64 bits':
    async (bulk) => {
      await bulk.addPets(ODD)
      await bulk.movePetIdsPast(1_000n)
      await bulk.movePetIdsPast(10n)
      await bulk.addPets(ODD.slice(0, 1))
      const last = (await bulk.readPets({ limit: ALL })).at(-1)?.id ?? 0n
      expectEqual(last > 1_000n, true, 'whether the next id is greater than 1000')
      expectEqual(await bulk.lastPetId(), last, 'the last id')
      await bulk.movePetIdsPast(INT64.max - 2n)
      await bulk.addPets(ODD.slice(0, 1))
      const stored = await bulk.readPets({ limit: ALL })
      expectEqual(stored.at(-1)?.id, INT64.max - 1n, 'the last id but one')
      await bulk.movePetIdsPast(INT64.max)
      expectEqual(await bulk.lastPetId(), INT64.max, 'the last id')
      await expectRejection(
        async () => bulk.addPets(ODD.slice(1, 2)),
        'addPets must reject a pet without an id for it',
      )
      expectEqual(await bulk.readPets({ limit: ALL }), stored, 'the stored pets must not change')
    },
  'imports: writes and reads imports by ascending id; one with a taken id replaces the stored one':
    async (bulk) => {
      const imports = [importOf(), importOf({ id: 2n ** 53n + 1n, state: 'finished' })]
      await bulk.writePetImports(imports.toReversed())
      expectEqual(await bulk.readPetImports(), imports, 'all imports')
      await bulk.writePetImports([ended()])
      expectEqual(
        await bulk.readPetImports(),
        [ended(), imports[1]],
        'all imports, the first one replaced',
      )
    },
  'idempotency-keys: writes and reads idempotency keys by owner and key; one that is taken is replaced':
    async (bulk) => {
      await bulk.writePets([1n, 2n, 7n].map((id) => ({ id, ...aNewPet() })))
      const keys = [
        ...['x', 'y', 'z'].map((key) => keyOf('a', key, 1n)),
        ...['w', 'x', 'y', 'z'].map((key) => keyOf('b', key, 2n)),
        keyOf('c', 'a', 7n),
      ]
      await bulk.writeIdempotencyKeys(keys.toReversed())
      for (let start = 0; start <= keys.length; start += 2) {
        const page = await bulk.readIdempotencyKeys(2, keys[start - 1])
        expectEqual(page, keys.slice(start, start + 2), `two keys after the first ${start}`)
      }
      await bulk.writeIdempotencyKeys([keyOf('a', 'x', 7n)])
      expectEqual(
        await bulk.readIdempotencyKeys(1),
        [keyOf('a', 'x', 7n)],
        'the first key, replaced',
      )
    },
  'idempotency-keys.many: stores thousands of idempotency keys of a call or none, and reads them in pages in the order of their text':
    async (bulk) => {
      await bulk.writePets([{ id: 1n, ...aNewPet() }])
      const keys = MANY.map((_, index) => keyOf(`${index % 7}`, `${index}`, 1n))
      await bulk.writeIdempotencyKeys(keys)
      // The order of text, in which 10 comes before 9.
      const expected = keys.toSorted((one, other) =>
        `${one.owner} ${one.key}` < `${other.owner} ${other.key}` ? -1 : 1,
      )
      for (let start = 0; start <= keys.length; start += 1_000) {
        const page = await bulk.readIdempotencyKeys(1_000, expected[start - 1])
        expectEqual(page, expected.slice(start, start + 1_000), `keys after the first ${start}`)
      }
      const others = keys.map((key) => ({ ...key, owner: 'other' }))
      const unreadable = throwing(keyOf('other', 'unreadable', 1n), 'fingerprint')
      await expectRejection(
        async () => bulk.writeIdempotencyKeys([...others, unreadable]),
        'writeIdempotencyKeys must reject an unreadable key',
      )
      const stored = await bulk.readIdempotencyKeys(2 * MANY.length)
      expectEqual(stored.length, keys.length, 'the number of idempotency keys')
    },
  'idempotency-keys.odd: reads every idempotency key on one page, whatever its text is': async (
    bulk,
  ) => {
    await bulk.writePets([{ id: 1n, ...aNewPet() }])
    const texts = [
      'a',
      'A',
      'b',
      'B',
      ' ',
      '_',
      '~',
      '-',
      'Zoë',
      'Zoe',
      '%',
      '🐕',
      'key:1',
      'key 1',
    ]
    const keys = texts.flatMap((owner) => texts.map((key) => keyOf(owner, key, 1n)))
    await bulk.writeIdempotencyKeys(keys)
    const read: StoredIdempotencyKey[] = []
    for (let pages = 0; pages < keys.length; pages += 1) {
      const page = await bulk.readIdempotencyKeys(5, read.at(-1))
      if (page.length === 0) break
      read.push(...page)
    }
    const textOf = ({ owner, key }: StoredIdempotencyKey) => JSON.stringify([owner, key])
    expectEqual(read.length, keys.length, 'the number of keys on all pages')
    expectEqual(read.map(textOf).sort(), keys.map(textOf).sort(), 'each key must be read once')
  },
  'api-keys: writes and reads API keys with all fields, by ascending id; one whose id is taken is replaced':
    async (bulk) => {
      const full = apiKeyOf('b', {
        ...{
          scopes: ['pets:read', 'pets:write'],
          createdBy: 'Ada',
          expiresAt: after(3),
          lastUsedAt: after(5),
        },
        ...{ revokedAt: after(4), revokedBy: 'Bob', replaces: 'key_a', overlapUntil: after(6) },
      })
      await bulk.writeApiKeys([full, apiKeyOf('a')])
      expectEqual(await bulk.readApiKeys(), [apiKeyOf('a'), full], 'all API keys')
      const changed = apiKeyOf('a', { revokedAt: after(4), revokedBy: 'Bob', lastUsedAt: after(5) })
      await bulk.writeApiKeys([changed, apiKeyOf('b'), apiKeyOf('c')])
      expectEqual(
        await bulk.readApiKeys(),
        [changed, apiKeyOf('b'), apiKeyOf('c')],
        'all API keys, two replaced',
      )
    },
  'api-keys.taken-hash: stores none of the API keys of a call when another key has the hash of one':
    async (bulk) => {
      await bulk.writeApiKeys([apiKeyOf('a')])
      await expectRejection(
        async () => bulk.writeApiKeys([apiKeyOf('b'), apiKeyOf('c', { sha256: hashOf('a') })]),
        'writeApiKeys must reject a taken hash',
      )
      expectEqual(await bulk.readApiKeys(), [apiKeyOf('a')], 'the stored API keys must not change')
      const many = MANY.map((_, index) => apiKeyOf(`n${index}`))
      await expectRejection(
        async () => bulk.writeApiKeys([...many, apiKeyOf('z', { sha256: hashOf('a') })]),
        'writeApiKeys must reject a taken hash after thousands of others',
      )
      expectEqual(await bulk.readApiKeys(), [apiKeyOf('a')], 'the stored API keys must not change')
      await bulk.writeApiKeys(many)
      expectEqual((await bulk.readApiKeys()).length, many.length + 1, 'the number of API keys')
    },
})

/** The same item, of which a field cannot be read: an adapter must reject what it is part of. */
function throwing<Item extends object>(item: Item, field: keyof Item): Item {
  return Object.defineProperty({ ...item }, field, {
    enumerable: true,
    get() {
      throw new Error(`${String(field)} cannot be read`)
    },
  })
}

function ended(): PetImport {
  return importOf({ state: 'finished' })
}
