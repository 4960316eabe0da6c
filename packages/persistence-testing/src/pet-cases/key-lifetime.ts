import assert from 'node:assert/strict'
import { IDEMPOTENCY_KEY_LIFETIME_MS, type Pet, type PetRepository } from '@pet-store/domain'
import { type ContractCase, casesOf } from '../case/contract-case.ts'
import { expectEqual } from '../case/expectations.ts'
import { aTurnLater, wait } from '../case/wait.ts'
import { aNewPet } from '../test-data/new-pets.ts'
import { ascending, idsOf, listAll } from '../test-data/stored-pets.ts'
import { addUnder, expectReused, keyWith, LAST_MS, START_MS } from './idempotency-keys.ts'

const EXPIRED_ROUNDS = 12

/** Each of the calls may delete the keys of the others. */
const EXPIRED_TOGETHER = 16
const EXPIRED_DAYS = 4

/**
 * A key of that time has expired by the clock too when it is used again, so an adapter may delete
 * it then.
 */
const LONG_AGO_MS = 3 * IDEMPOTENCY_KEY_LIFETIME_MS

/** A call of several statements has ended by then. */
const CANCELLED_AFTER_TURNS = 24

/** Some calls begin while others are at each of their steps. */
const SPREAD_MS = 8

/** An idempotency key is valid for a day from its first use, whichever clock is right. */
export const keyLifetimeCases: readonly ContractCase<PetRepository>[] = casesOf('pet.idempotency', {
  'earlier: returns the same pet to a repeat at an earlier time, as clocks differ': async (
    pets,
  ) => {
    const first = await addUnder(pets, aNewPet(), keyWith({}))
    for (const earlierMs of [1, 1_000, 3_600_000, 2 * IDEMPOTENCY_KEY_LIFETIME_MS]) {
      const key = keyWith({ atMs: START_MS - earlierMs })
      const repeat = await pets.addWithKey(aNewPet(), key)
      expectEqual(
        repeat,
        { pet: first, isReplay: true },
        `a repeat ${earlierMs} ms before the first use must return the pet`,
      )
      await expectReused(() => addUnder(pets, aNewPet(), { ...key, fingerprint: 'Mia' }))
    }
    const last = await pets.addWithKey(aNewPet(), keyWith({ atMs: LAST_MS }))
    expectEqual(
      last,
      { pet: first, isReplay: true },
      'a repeat at the end of the lifetime must return the pet',
    )
    const next = await pets.addWithKey(aNewPet(), keyWith({ atMs: LAST_MS + 1 }))
    expectEqual(next.isReplay, false, 'isReplay of a call after the lifetime')
    expectEqual(await listAll(pets), [first, next.pet], 'earlier repeats must store nothing')
  },
  'rejected-repeat: ends the lifetime of a key at its time, even if other content was rejected':
    async (pets) => {
      const first = await addUnder(pets, aNewPet(), keyWith({}))
      for (const atMs of [START_MS + 1, LAST_MS])
        await expectReused(() => addUnder(pets, aNewPet(), keyWith({ fingerprint: 'Mia', atMs })))
      const next = await pets.addWithKey(aNewPet(), keyWith({ atMs: LAST_MS + 1 }))
      expectEqual(next.isReplay, false, 'isReplay of a call after the lifetime')
      expectEqual(await listAll(pets), [first, next.pet], 'rejected calls must store nothing')
    },
  'lifetime: treats a key as new after its lifetime, which a repeat does not extend': async (
    pets,
  ) => {
    const first = await addUnder(pets, aNewPet(), keyWith({}))
    for (const atMs of [START_MS + 1, LAST_MS]) await addUnder(pets, aNewPet(), keyWith({ atMs }))
    const nextDay = keyWith({ atMs: LAST_MS + 1 })
    const second = await addUnder(pets, aNewPet(), nextDay)
    assert.notEqual(second.id, first.id, 'a key must be new again when its lifetime is over')
    expectEqual(
      await addUnder(pets, aNewPet(), nextDay),
      second,
      'a repeat must return the second pet',
    )
    const later = keyWith({ fingerprint: 'Mia', atMs: START_MS + 2 * IDEMPOTENCY_KEY_LIFETIME_MS })
    const third = await addUnder(pets, aNewPet({ name: 'Mia' }), later)
    const repeat = await pets.addWithKey(aNewPet({ name: 'Mia' }), later)
    expectEqual(
      repeat,
      { pet: third, isReplay: true },
      'a repeat in a later lifetime must return its own pet',
    )
    await expectReused(() => addUnder(pets, aNewPet(), { ...later, fingerprint: 'Rex' }))
    expectEqual(await listAll(pets), [first, second, third], 'each lifetime must store a pet')
  },
  'expired-cancelled: keeps a key if a call for which it has expired is cancelled': async (
    pets,
  ) => {
    for (let turns = 0; turns < CANCELLED_AFTER_TURNS; turns += 1) {
      const text = `${turns}`
      const first = await addUnder(pets, aNewPet(), keyWith({ key: text }))
      const controller = new AbortController()
      const nextDay = keyWith({ key: text, atMs: LAST_MS + 1 })
      const replacing = pets.addWithKey(aNewPet(), nextDay, controller.signal)
      const ended = Promise.allSettled([replacing])
      for (let turn = 0; turn < turns; turn += 1) await aTurnLater()
      controller.abort()
      const [result] = await ended
      const repeat = await pets.addWithKey(aNewPet(), keyWith({ key: text, atMs: LAST_MS }))
      const wasReplaced = result?.status === 'fulfilled'
      expectEqual(
        repeat,
        { pet: wasReplaced ? result.value.pet : first, isReplay: true },
        'a repeat within the lifetime, after a call after it that was cancelled and ' +
          (wasReplaced ? 'resolved' : 'rejected'),
      )
    }
  },
  'expired-concurrent: stores one pet for many calls with an expired key at the same time': async (
    pets,
  ) => {
    const expected: unknown[] = []
    // Often, and not only at once: one call may delete the key that another one has just stored. An
    // adapter that does is noticed in about half of the rounds.
    for (let round = 0; round < EXPIRED_ROUNDS; round += 1) {
      const key = `${round}`
      expected.push(await addUnder(pets, aNewPet(), keyWith({ key })))
      const nextDay = keyWith({ key, atMs: LAST_MS + 1 })
      const spreadMs = round % 2 === 0 ? 0 : SPREAD_MS
      const results = await Promise.all(
        Array.from({ length: 20 }, async () => {
          if (spreadMs > 0) await wait(Math.random() * spreadMs)
          return pets.addWithKey(aNewPet(), nextDay)
        }),
      )
      expected.push(results.find(({ isReplay }) => !isReplay)?.pet)
      expectEqual(
        results.filter(({ isReplay }) => !isReplay).length,
        1,
        'the number of calls that stored the pet',
      )
      expectEqual(
        new Set(idsOf(results.map(({ pet }) => pet))).size,
        1,
        'the number of different ids of 20 calls',
      )
    }
    expectEqual(
      await listAll(pets),
      expected,
      '20 calls with an expired key must store one more pet',
    )
  },
  'expired-together: stores and keeps the pet of each of many expired keys that are used together':
    async (pets) => {
      const expected: Pet[] = []
      const keys = Array.from({ length: EXPIRED_TOGETHER }, (_, index) => `${index}`)
      for (let day = 0; day < EXPIRED_DAYS; day += 1) {
        const atMs = START_MS - LONG_AGO_MS + day * IDEMPOTENCY_KEY_LIFETIME_MS
        // In another order than the day before: an adapter may delete the first of several.
        const used = day % 2 === 0 ? keys : keys.toReversed()
        const addAll = () =>
          Promise.all(used.map((key) => addUnder(pets, aNewPet(), keyWith({ key, atMs }))))
        const added = await addAll()
        const sorted = (some: readonly Pet[]) => ascending(idsOf(some))
        const repeated = await addAll()
        expectEqual(
          sorted(repeated),
          sorted(added),
          'the ids of the pets that repeats on the same day return',
        )
        expected.push(...added)
      }
      const byId = expected.toSorted((one, other) => (one.id < other.id ? -1 : 1))
      expectEqual(await listAll(pets), byId, 'each key must store a pet on each day')
    },
  'any-time: compares the times of two calls, whatever the time of the machine is': async (
    pets,
  ) => {
    for (const year of ['1970', '2001', '2199']) {
      const atMs = Date.parse(`${year}-01-01T00:00:00Z`)
      const first = await addUnder(pets, aNewPet(), keyWith({ atMs }))
      // With these an adapter may delete what has expired.
      for (let count = 0; count < 3; count += 1)
        await addUnder(pets, aNewPet(), keyWith({ key: `${year} ${count}`, atMs }))
      const last = await pets.addWithKey(
        aNewPet(),
        keyWith({ atMs: atMs + IDEMPOTENCY_KEY_LIFETIME_MS - 1 }),
      )
      expectEqual(
        last,
        { pet: first, isReplay: true },
        `a repeat in the year ${year}, within the lifetime`,
      )
      const next = await pets.addWithKey(
        aNewPet(),
        keyWith({ atMs: atMs + IDEMPOTENCY_KEY_LIFETIME_MS }),
      )
      expectEqual(
        next.isReplay,
        false,
        `isReplay of a call in the year ${year}, after the lifetime`,
      )
    }
  },
  'own-time: takes the present for a call without a time': async (pets) => {
    const now = { owner: 'shop', key: 'now', fingerprint: 'Rex' }
    // The clock of the database may be an hour behind or ahead.
    const dayLater = (ms: number) => ({ ...now, at: new Date(Date.now() + 86_400_000 + ms) })
    const replays: boolean[] = []
    const keys = [now, now, { ...now, at: undefined }, dayLater(-3_600_000), dayLater(3_600_000)]
    for (const key of keys) replays.push((await pets.addWithKey(aNewPet(), key)).isReplay)
    const expected = [false, true, true, true, false]
    expectEqual(replays, expected, 'isReplay of calls now and a day later')
    for (const [hours, isReplay] of [
      [22, true],
      [26, false],
    ] as const) {
      const key = { ...now, key: `${hours} hours ago` }
      await pets.addWithKey(aNewPet(), { ...key, at: new Date(Date.now() - hours * 3_600_000) })
      const again = await pets.addWithKey(aNewPet(), key)
      expectEqual(again.isReplay, isReplay, `isReplay of a call ${hours} hours after the first one`)
    }
  },
  'others: knows a key until the end of its lifetime, whatever other keys are used meanwhile':
    async (pets) => {
      const first = await addUnder(pets, aNewPet(), keyWith({}))
      const half = IDEMPOTENCY_KEY_LIFETIME_MS / 2
      // With each of these an adapter may delete what has expired.
      for (const [index, atMs] of [half, 2 * half - 2, 2 * half - 1].entries()) {
        for (let count = 0; count < 4; count += 1)
          await addUnder(
            pets,
            aNewPet(),
            keyWith({ key: `${index} ${count}`, atMs: START_MS + atMs }),
          )
      }
      const last = await pets.addWithKey(aNewPet(), keyWith({ atMs: LAST_MS }))
      expectEqual(
        last,
        { pet: first, isReplay: true },
        'a repeat at the end of the lifetime must return the pet',
      )
      await expectReused(() =>
        addUnder(pets, aNewPet(), keyWith({ fingerprint: 'Mia', atMs: LAST_MS })),
      )
    },
})
