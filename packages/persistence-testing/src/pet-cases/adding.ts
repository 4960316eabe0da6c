import assert from 'node:assert/strict'
import {
  INT64,
  isPetError,
  type NewPet,
  type Pet,
  type PetId,
  type PetRepository,
} from '@pet-store/domain'
import { type ContractCase, casesOf } from '../case/contract-case.ts'
import { causedBy, expectEqual, expectRejection } from '../case/expectations.ts'
import { unreadable } from '../case/unreadable.ts'
import { aMomentLater, aTurnLater } from '../case/wait.ts'
import { anIdempotencyKey } from '../test-data/new-idempotency-keys.ts'
import { addKeyed, addPets, aNewPet } from '../test-data/new-pets.ts'
import { ascending, idsOf, listAll, MORE_THAN_ENOUGH } from '../test-data/stored-pets.ts'

/** Ids increase and are never reused, and an add stores the whole pet or nothing. */
export const addingCases: readonly ContractCase<PetRepository>[] = casesOf('pet.add', {
  'ids: gives each later pet a greater id within int64, an equal pet too': async (pets) => {
    const added = [
      ...(await addPets(pets, 12)),
      await pets.add(aNewPet()),
      await pets.add(aNewPet()),
    ]
    for (const [index, { id }] of added.entries()) {
      expectEqual(typeof id, 'bigint', 'an id must be a bigint')
      assert.ok(id > 0n && id <= INT64.max, `an id must be from 1 to ${INT64.max}, got ${id}`)
      const before = added[index - 1]?.id ?? id - 1n
      assert.ok(id > before, `the id after ${before} must be greater, got ${id}`)
    }
    expectEqual(await listAll(pets), added, 'each pet must be stored under its id')
  },
  'concurrent: stores all pets that are added at the same time, under increasing ids': async (
    pets,
  ) => {
    const names = manyNames(30)
    const added = await Promise.all(names.map((name) => pets.add(aNewPet({ name }))))
    expectEqual(
      added.map((pet) => pet.name),
      names,
      'each add must return its own pet',
    )
    const byId = new Map(added.map((pet) => [pet.id, pet]))
    expectEqual(byId.size, 30, 'the number of different ids of 30 pets')
    const expected = ascending(idsOf(added)).map((id) => byId.get(id))
    expectEqual(
      await listAll(pets),
      expected,
      'the list must contain each pet under the id that its add returned',
    )
    // Some with a key, each caller in a rhythm of its own: an adapter may add those in another way.
    const caller = async (rhythm: number): Promise<readonly PetId[]> => {
      const ids: PetId[] = []
      for (let count = 0; count < 12; count += 1) {
        const isKeyed = Math.floor(count / rhythm) % 2 === 1
        ids.push((await (isKeyed ? addKeyed(pets, aNewPet()) : pets.add(aNewPet()))).id)
      }
      return ids
    }
    for (const ids of await Promise.all([1, 2, 3, 4].map(caller))) {
      expectEqual(
        ids,
        ascending(ids),
        'the ids that one caller gets one after the other must increase',
      )
    }
  },
  'visible-at-once: finds and lists a pet as soon as its add has resolved, beside other adds':
    async (pets) => {
      const caller = async (): Promise<void> => {
        for (let count = 0; count < 15; count += 1) {
          const pet = aNewPet({ status: 'sold' })
          const added = await (count % 2 === 0 ? pets.add(pet) : addKeyed(pets, pet))
          expectEqual(
            await pets.find(added.id),
            added,
            'find must return a pet whose add has resolved',
          )
          const listed = (await listAll(pets)).find(({ id }) => id === added.id)
          expectEqual(listed, added, 'list must contain a pet whose add has resolved')
          for (const query of [{}, { status: 'sold' }] as const) {
            const [next] = await pets.list({ ...query, after: added.id - 1n, limit: 1 })
            expectEqual(next, added, 'a page must contain a pet whose add has resolved')
          }
        }
      }
      // Reads that began before: no later one may get their results.
      let hasEnded = false
      const reading = ([{}, { status: 'sold' }] as const).map(async (query) => {
        while (!hasEnded) {
          await pets.list({ ...query, limit: MORE_THAN_ENOUGH })
          await aTurnLater()
        }
      })
      const adding = Promise.all(Array.from({ length: 8 }, caller)).finally(() => {
        hasEnded = true
      })
      await Promise.all([adding, ...reading])
    },
  'rejected: stores nothing when an add is rejected, and continues': async (pets) => {
    const before = await pets.add(aNewPet({ name: 'before' }))
    for (const field of ['name', 'categoryId', 'status'] as const) {
      await expectRejection(
        async () => pets.add(unreadable(aNewPet({ status: 'sold' }), field)),
        `add must reject when ${field} cannot be read`,
      )
    }
    const next = await pets.add(aNewPet({ name: 'next' }))
    expectEqual(await listAll(pets), [before, next], 'a rejected add must store nothing')
    assert.ok(next.id > before.id, 'ids must increase after a rejected add')
  },
  'cancelled: stores nothing when the caller has cancelled before the call': async (pets) => {
    const key = anIdempotencyKey()
    for (const cancelled of [{ aborted: true }, AbortSignal.abort()]) {
      await expectRejection(
        () => pets.add(aNewPet(), cancelled),
        'a cancelled add must reject',
        CANCELLED,
      )
      await expectRejection(
        () => pets.addWithKey(aNewPet(), key, cancelled),
        'a cancelled addWithKey must reject',
        CANCELLED,
      )
    }
    await aMomentLater()
    expectEqual(
      await listAll(pets),
      [],
      'a cancelled call must store nothing, and not later either',
    )
    const { isReplay } = await pets.addWithKey(aNewPet(), key, { aborted: false })
    expectEqual(
      isReplay,
      false,
      'isReplay of the next call; a cancelled call must not use up the key',
    )
  },
  'cancelled-meanwhile: stores exactly the pets whose add resolves when callers cancel after it':
    async (pets) => {
      const keyOf = (index: number) => anIdempotencyKey({ key: `${index}` })
      const calls = validPets(20).map((pet, index) => {
        const cancellation = { aborted: false }
        const isKeyed = index % 2 === 1
        const adding = isKeyed
          ? pets.addWithKey(pet, keyOf(index), cancellation)
          : pets.add(pet, cancellation)
        cancellation.aborted = true
        return adding.then((added) => ('pet' in added ? added.pet : added))
      })
      const results = await Promise.allSettled(calls)
      const stored = results
        .filter((result) => result.status === 'fulfilled')
        .map((result) => result.value)
      await aMomentLater()
      expectEqual(
        idsOf(await listAll(pets)),
        ascending(idsOf(stored)),
        'exactly the resolved adds must be stored',
      )
      for (const [index, result] of results.entries()) {
        if (result.status === 'fulfilled') continue
        await expectRejection(
          async () => Promise.reject(result.reason),
          'a cancelled add must reject as one that has stored nothing',
          CANCELLED,
        )
        const { isReplay } = await pets.addWithKey(aNewPet(), keyOf(index))
        expectEqual(
          isReplay,
          false,
          'isReplay of the next call; a cancelled call must not use up the key',
        )
      }
      await expectOwnPets(pets, (pet, cancellation) => pets.add(pet, cancellation))
      await expectOwnPets(pets, async (pet, cancellation) => {
        const key = anIdempotencyKey({ key: pet.name })
        return (await pets.addWithKey(pet, key, cancellation)).pet
      })
    },
  // Databases reject some of these pets, memory none. Either is correct, as long as the result of
  // add is true.
  'rejected-beside-others: stores exactly the pets whose add resolves when others fail beside':
    async (pets) => {
      const invalid = [
        { categoryId: 1n },
        { name: 'Rex', categoryId: INT64.max + 1n },
      ] as unknown as NewPet[]
      const unread = unreadable(aNewPet({ status: 'sold' }), 'name')
      await expectAddedBeside(pets, [...validPets(5), ...invalid, unread, ...validPets(5)], 10)
      // The smallest group: one fails, the other does not.
      for (const pet of invalid) {
        await expectAddedBeside(pets, [pet, ...validPets(1)], 1)
        await expectAddedBeside(pets, [...validPets(1), pet], 1)
      }
    },
})

/** Adds pets at the same time, and expects that exactly those are stored whose add resolves. */
async function expectAddedBeside(
  pets: PetRepository,
  tried: readonly NewPet[],
  validCount: number,
): Promise<void> {
  const before = idsOf(await listAll(pets))
  const results = await Promise.allSettled(tried.map(async (pet) => pets.add(pet)))
  const stored = results
    .filter((result) => result.status === 'fulfilled')
    .map((result) => result.value)
  const failed = results.find((result) => result.status === 'rejected' && isPetError(result.reason))
  causedBy((failed as PromiseRejectedResult | undefined)?.reason, () =>
    expectEqual(
      stored.filter((pet) => pet.name?.startsWith('valid')).length,
      validCount,
      'the number of valid pets whose add resolves; it must not fail because another fails',
    ),
  )
  expectEqual(
    idsOf(await listAll(pets)),
    ascending([...before, ...idsOf(stored)]),
    'exactly the resolved adds must be stored',
  )
}

/**
 * Adds pets at the same time, of which some are cancelled at once. The first is under way when the
 * others come: these may be sent together.
 */
async function expectOwnPets(
  pets: PetRepository,
  add: (pet: NewPet, cancellation: { aborted: boolean }) => Promise<Pet>,
): Promise<void> {
  const tried = validPets(12)
  const calls = tried.map((pet, index) => {
    const cancellation = { aborted: false }
    const adding = add(pet, cancellation)
    cancellation.aborted = index % 3 === 1
    return adding
  })
  for (const [index, result] of (await Promise.allSettled(calls)).entries()) {
    if (result.status === 'rejected' && index % 3 === 1) continue
    if (result.status === 'rejected') throw result.reason
    const expected = { ...tried[index], id: result.value.id }
    expectEqual(result.value, expected, 'the pet of an add, beside others that are cancelled')
    expectEqual(await pets.find(result.value.id), expected, 'find must return that pet')
  }
}

/** How an add rejects whose caller has cancelled before the pet was sent. */
const CANCELLED = { name: 'PetError', code: 'persistence_unavailable', outcome: 'not_stored' }

function manyNames(count: number): readonly string[] {
  return Array.from({ length: count }, (_, index) => `Pet ${index}`)
}

function validPets(count: number): readonly NewPet[] {
  return manyNames(count).map((name) => aNewPet({ name: `valid ${name}` }))
}
