import { INT64, type NewPet, PET_NAME, PET_STATUSES, type Pet } from '@pet-store/domain'
import type { BulkAccess, PetImport } from '@pet-store/persistence'
import { type ContractCase, casesOf } from '../case/contract-case.ts'
import { expectEqual, expectImpossible, expectRejection } from '../case/expectations.ts'
import { unreadable } from '../case/unreadable.ts'
import { hashOf } from '../new-api-keys.ts'
import { aNewPet, withoutId } from '../new-pets.ts'
import { LIMITS } from '../pet-cases/list-limits.ts'
import { ALL, ended, importOf, MANY, ODD } from './items.ts'

/** Next to the numbers at which pages, batches and bytes are full. */
const COUNTS = [...new Set([...LIMITS, 4_999, 5_000, 5_001, 9_999, 10_000, 10_001])].toSorted(
  (one, other) => one - other,
)

/** Pets are added and written completely or not at all, and read in pages. */
export const bulkPetCases: readonly ContractCase<BulkAccess>[] = casesOf('bulk', {
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
  'count: counts pets exactly, whatever their number, and whichever ids they have': async (
    bulk,
  ) => {
    let count = 0
    for (const number of COUNTS) {
      await bulk.addPets(MANY.slice(0, number - count))
      count = number
      expectEqual(await bulk.countPets(), count, 'the number of pets that were added')
    }
    const last = await bulk.lastPetId()
    await bulk.writePets([-5n, last + 5_000n].map((id) => ({ id, ...aNewPet() })))
    await bulk.movePetIdsPast(last + 9_000n)
    expectEqual(await bulk.countPets(), count + 2, 'the number with two pets under other ids')
  },
  'add.progress: stores many new pets together with the progress of their import': async (bulk) => {
    const first = importOf()
    const second = importOf({ lines: 2 ** 52 + 1 })
    const end = ended()
    await bulk.addPets(ODD, { to: first })
    expectEqual(await bulk.readPetImports(), [first], 'the import that has begun')
    await bulk.addPets(ODD, { from: first, to: second })
    await bulk.addPets([], { from: second, to: end })
    expectEqual(await bulk.readPetImports(), [end], 'the import that has ended')
    expectEqual(await bulk.countPets(), 2 * ODD.length, 'the number of pets')
    const other = importOf({ id: 2n })
    const otherEnd = importOf({ id: 2n, state: 'finished', lines: 4 })
    await bulk.addPets(ODD, { to: other })
    await bulk.addPets(ODD, { from: other, to: otherEnd })
    expectEqual(await bulk.readPetImports(), [end, otherEnd], 'both imports')
    expectEqual(await bulk.countPets(), 4 * ODD.length, 'the number of pets of both')
  },
  'add.other-import: stores neither pets nor progress when another process advanced the import':
    async (bulk) => {
      const first = importOf()
      await bulk.addPets(ODD, { to: first })
      const to = importOf({ lines: 7 })
      await expectRejection(
        () => bulk.addPets(ODD, { to: first }),
        'addPets must reject to begin an import that has begun',
      )
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
  'add.concurrent: continues an import once, even if several calls come at the same time': async (
    bulk,
  ) => {
    let from: PetImport | undefined
    for (let pets = 1; pets < 6; pets += 1) {
      const ends = [1, 2, 3, 4, 5].map((index) => importOf({ lines: 10 * pets + index }))
      const results = await Promise.allSettled(
        ends.map(async (to) => bulk.addPets([aNewPet()], { to, ...(from && { from }) })),
      )
      const resolved = ends.filter((_, index) => results[index]?.status === 'fulfilled')
      expectEqual(resolved.length, 1, 'the number of calls from one position that resolve')
      expectEqual(await bulk.readPetImports(), resolved, 'where the import is')
      expectEqual(await bulk.countPets(), pets, 'the number of pets')
      from = resolved[0]
    }
  },
  'add.all-or-nothing: stores all new pets of a call or none, with their import': async (bulk) => {
    const pets = [...MANY, unreadable(aNewPet({ status: 'sold' }), 'name')]
    await expectRejection(
      async () => bulk.addPets(pets, { to: importOf() }),
      'addPets must reject an unreadable pet',
    )
    expectEqual(await bulk.countPets(), 0, 'the number of pets')
    expectEqual(await bulk.readPetImports(), [], 'the imports')
    await bulk.addPets(ODD, { to: importOf() })
    expectEqual(await bulk.countPets(), ODD.length, 'the number of pets after the next call')
    // Only the database may reject the last one of these.
    const nameless = { categoryId: 1n } as unknown as NewPet
    const isStored = await bulk.addPets([...MANY, nameless]).then(
      () => true,
      () => false,
    )
    const expected = ODD.length + (isStored ? MANY.length + 1 : 0)
    expectEqual(await bulk.countPets(), expected, 'the number of pets after a call without a name')
  },
  'read: reads every pet once, over several pages, each of them full but the last, of a status too':
    async (bulk) => {
      await bulk.addPets([...ODD, ...MANY.slice(0, 5), ...ODD])
      const all = await bulk.readPets({ limit: ALL })
      const absent = { status: undefined, after: undefined, limit: ALL }
      expectEqual(await bulk.readPets(absent), all, 'the pets of what is given as undefined')
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
  'write.not-valid: stores and reads pets that are no longer valid, as they are': async (bulk) => {
    const names = ['', ' \t', 'x'.repeat(PET_NAME.maxCodePoints + 1)]
    const pets = names.map((name, index) => ({ ...aNewPet(), id: BigInt(index + 1), name }))
    await bulk.writePets(pets)
    expectEqual(await bulk.readPets({ limit: ALL }), pets, 'the pets as they were written')
  },
  'write.taken: stores none of the pets of a call when an id is taken': async (bulk) => {
    const stored = [{ id: 5n, ...aNewPet({ name: 'first' }) }]
    await bulk.writePets(stored)
    const more = [4n, 5n, 6n].map((id) => ({ id, ...aNewPet() }))
    await expectImpossible(async () => bulk.writePets(more), 'writePets must reject a taken id')
    const twice = [7n, 8n, 8n].map((id) => ({ id, ...aNewPet() }))
    await expectImpossible(async () => bulk.writePets(twice), 'writePets must reject an id twice')
    expectEqual(await bulk.readPets({ limit: ALL }), stored, 'the stored pets must not change')
  },
  'write.concurrent: stores an id once, even if several calls write it at the same time': async (
    bulk,
  ) => {
    const calls = ['a', 'b', 'c', 'd', 'e'].map((name, index) =>
      [100n - BigInt(index), 500n, 1_000n + BigInt(index)].map((id) => ({
        id,
        ...aNewPet({ name }),
      })),
    )
    const results = await Promise.allSettled(calls.map(async (pets) => bulk.writePets(pets)))
    const resolved = calls.filter((_, index) => results[index]?.status === 'fulfilled')
    expectEqual(resolved.length, 1, 'the number of calls that resolve')
    expectEqual(await bulk.readPets({ limit: ALL }), resolved[0], 'the pets of that call')
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
  'ids.none: leaves the ids of an empty database where they are when they are moved past none':
    async (bulk) => {
      await bulk.movePetIdsPast(await bulk.lastPetId())
      await bulk.movePetIdsPast(-5n)
      expectEqual(await bulk.lastPetId(), 0n, 'the last id of an empty database')
      await bulk.addPets(ODD)
      const stored = await bulk.readPets({ limit: ALL })
      expectEqual(stored.map(withoutId), ODD, 'the pets that were added')
      expectEqual(
        stored.every(({ id }) => id > 0n),
        true,
        'whether their ids are greater than 0',
      )
      expectEqual(await bulk.lastPetId(), stored.at(-1)?.id, 'the last id')
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
      // A smaller id that is free does not move them back.
      await bulk.writePets([{ id: 500n, ...aNewPet() }])
      await bulk.addPets(ODD.slice(0, 1))
      const next = (await bulk.readPets({ limit: ALL })).at(-1)?.id ?? 0n
      expectEqual(next > last, true, 'whether the id after a written one is greater than before')
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
})
