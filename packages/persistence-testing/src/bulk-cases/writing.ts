import { INT64, type NewPet, PET_NAME, PET_STATUSES, type Pet } from '@pet-store/domain'
import type { BulkAccess } from '@pet-store/persistence'
import { type ContractCase, casesOf } from '../case/contract-case.ts'
import { causedBy, expectEqual, expectImpossible, expectRejection } from '../case/expectations.ts'
import { LIMITS } from '../test-data/list-limits.ts'
import { aNewPet } from '../test-data/new-pets.ts'
import { ODD_NAMES } from '../test-data/odd-texts.ts'
import { ALL, MANY, ODD } from './items.ts'

/** Next to the numbers at which pages, batches and bytes are full. */
const COUNTS = [...new Set([...LIMITS, 4_999, 5_000, 5_001, 9_999, 10_000, 10_001])].toSorted(
  (one, other) => one - other,
)

/** More than an adapter commits at a time. */
const SOME = 25_000

/** Of more than these the others are read by other cases. */
const FEW = 1_003

/**
 * Calls must meet in the short time between two statements; those of the first round may still open
 * connections.
 */
const ROUNDS = 12

/** Pets are written under their ids, completely or not at all, and read in pages. */
export const bulkWritingCases: readonly ContractCase<BulkAccess>[] = casesOf('bulk', {
  'count: counts pets exactly, whatever their number, and whichever ids they have': async (
    bulk,
  ) => {
    let count = 0
    for (const number of COUNTS) {
      await bulk.addPets(MANY.slice(0, number - count))
      count = number
      expectEqual(await bulk.countPets(), count, 'the number of pets that were added')
      if (count > FEW) continue
      const read = await bulk.readPets({ limit: ALL })
      expectEqual(read.length, count, 'the number of pets that are read after they were added')
    }
    const last = await bulk.lastPetId()
    await bulk.writePets([-5n, last + 5_000n].map((id) => ({ id, ...aNewPet() })))
    await bulk.movePetIdsPast(last + 9_000n)
    expectEqual(await bulk.countPets(), count + 2, 'the number with two pets under other ids')
  },
  'read: reads every pet once, over several pages, each of them full but the last, of a status too':
    async (bulk) => {
      await bulk.addPets([...ODD, ...MANY.slice(0, 5), ...ODD])
      const all = await bulk.readPets({ limit: ALL })
      const absent = { status: undefined, after: undefined, limit: ALL }
      expectEqual(
        await bulk.readPets(absent),
        all,
        'readPets must take an undefined status and position as absent',
      )
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
    expectEqual(
      await bulk.readPets({ limit: ALL }),
      expected,
      'readPets must return the pets by ascending id',
    )
    expectEqual(await bulk.countPets(), ids.length, 'the number of pets that writePets has written')
    for (const status of PET_STATUSES) {
      const withStatus = expected.filter((pet) => pet.status === status)
      expectEqual(
        await bulk.readPets({ status, limit: ALL }),
        withStatus,
        `the pets with the status ${status}`,
      )
    }
    for (const [index, { id }] of expected.entries()) {
      const rest = await bulk.readPets({ after: id, limit: ALL })
      expectEqual(rest, expected.slice(index + 1), `the pets after the id ${id}`)
    }
  },
  'write.not-valid: stores and reads pets that are no longer valid, as they are': async (bulk) => {
    const names = ['', ' \t', 'x'.repeat(PET_NAME.maxCodePoints + 1), ...ODD_NAMES]
    const pets = names.map((name, index) => ({ ...aNewPet(), id: BigInt(index + 1), name }))
    await bulk.writePets(pets)
    expectEqual(
      await bulk.readPets({ limit: ALL }),
      pets,
      'readPets must return pets as they were written, valid or not',
    )
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
    const stored: Pet[] = []
    for (let round = 0n; round < ROUNDS; round += 1n) {
      const first = 10_000n * round
      const calls = ['a', 'b', 'c', 'd', 'e'].map((name, index) =>
        [100n - BigInt(index), 500n, 1_000n + BigInt(index)].map((id) => ({
          id: first + id,
          ...aNewPet({ name }),
        })),
      )
      const results = await Promise.allSettled(calls.map(async (pets) => bulk.writePets(pets)))
      const resolved = calls.filter((_, index) => results[index]?.status === 'fulfilled')
      expectEqual(
        resolved.length,
        1,
        'the number of calls that resolve, of five that write the same id',
      )
      stored.push(...resolved.flat())
      expectEqual(
        await bulk.readPets({ limit: ALL }),
        stored,
        'the pets of each call that resolved must be stored, and no others',
      )
    }
  },
  'write.many: stores thousands of pets of a call, and none of them when the last id is taken':
    async (bulk) => {
      const many = MANY.map((pet, index) => ({ id: BigInt(index + 1), ...pet }))
      await bulk.writePets(many)
      expectEqual(
        await bulk.readPets({ limit: MANY.length }),
        many,
        'readPets must return the thousands of pets that one call has written',
      )
      const more = many.map((pet) => ({ ...pet, id: pet.id + BigInt(MANY.length) }))
      const taken = { ...more[0], id: 1n } as Pet
      await expectRejection(
        async () => bulk.writePets([...more, taken]),
        'writePets must reject a taken id',
      )
      expectEqual(
        await bulk.countPets(),
        MANY.length,
        'the number of pets after writePets was rejected',
      )
    },
  'write.any-number: stores none of the pets of a call that is rejected, whatever their number':
    async (bulk) => {
      // So many that an adapter that commits now and then has done so.
      const many = Array.from({ length: 11 }, () => MANY).flat()
      const pets = many.map((pet, index) => ({ ...pet, id: BigInt(index + 1) }))
      await bulk.writePets([{ ...aNewPet(), id: BigInt(pets.length) }])
      await expectRejection(async () => bulk.writePets(pets), 'writePets must reject a taken id')
      expectEqual(await bulk.countPets(), 1, 'the number of pets after writePets was rejected')
      await bulk.movePetIdsPast(BigInt(pets.length))
      // Only the database may reject the last one of these.
      const nameless = { categoryId: 1n } as unknown as NewPet
      let rejection: unknown
      const isStored = await bulk.addPets([...many, nameless]).then(
        () => true,
        (error: unknown) => {
          rejection = error
          return false
        },
      )
      const expected = 1 + (isStored ? many.length + 1 : 0)
      const count = await bulk.countPets()
      // On a busy machine its deadline may run out; then all of it may be stored, at any time.
      if (Object(rejection).outcome === 'unknown') {
        const isWhole = [1, many.length + 2].includes(count)
        expectEqual(
          isWhole,
          true,
          'whether addPets, whose outcome is unknown, has stored all or none',
        )
        return
      }
      causedBy(rejection, () =>
        expectEqual(count, expected, 'the number of pets after a call of addPets'),
      )
      // Only the last of these has no id.
      await bulk.movePetIdsPast(INT64.max - BigInt(SOME - 1))
      await expectRejection(
        async () => bulk.addPets(many.slice(0, SOME)),
        'addPets must reject pets for which there are too few ids',
      )
      expectEqual(await bulk.countPets(), expected, 'the number of pets, with too few ids')
    },
  'write.long-names: stores thousands of pets of a call, even if all have the longest name': async (
    bulk,
  ) => {
    const name = '🐕'.repeat(PET_NAME.maxCodePoints)
    await bulk.addPets(MANY.map((pet) => ({ ...pet, name })))
    const added = await bulk.readPets({ limit: ALL })
    expectEqual(added.length, MANY.length, 'the number of pets that were added')
    const last = added.at(-1)?.id ?? 0n
    await bulk.writePets(MANY.map((pet, index) => ({ ...pet, name, id: last + BigInt(index + 1) })))
    const written = await bulk.readPets({ after: last, limit: ALL })
    expectEqual(written.length, MANY.length, 'the number of pets that were written')
    const whole = [...added, ...written].filter((pet) => pet.name === name)
    expectEqual(whole.length, 2 * MANY.length, 'the number of pets that have their whole name')
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
    expectEqual(
      await bulk.readPets({ limit: ALL }),
      pets,
      'readPets must return pets under ids over all of int64',
    )
    for (const [index, after] of ids.entries()) {
      for (const query of [{}, { status: 'sold' }] as const) {
        const rest = await bulk.readPets({ ...query, after, limit: ALL })
        expectEqual(rest, pets.slice(index + 1), `the pets after the id ${after}`)
      }
    }
  },
})
