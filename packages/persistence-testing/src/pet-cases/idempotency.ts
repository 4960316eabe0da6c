import assert from 'node:assert/strict'
import { IDEMPOTENCY_KEY_LIFETIME_MS, type Pet, type PetRepository } from '@pet-store/domain'
import { type ContractCase, casesOf } from '../case/contract-case.ts'
import { expectEqual, expectRejection } from '../case/expectations.ts'
import { unreadable } from '../case/unreadable.ts'
import { wait } from '../case/wait.ts'
import { aNewPet } from '../new-pets.ts'
import { idsOf, listAll } from '../stored-pets.ts'
import { addUnder, expectReused, keyWith, START_MS } from './idempotency-keys.ts'

const LAST_MS = START_MS + IDEMPOTENCY_KEY_LIFETIME_MS - 1
const EXPIRED_ROUNDS = 12
/** Some calls begin while others are at each of their steps. */
const SPREAD_MS = 8

/** One pet per idempotency key, for the lifetime of the key. */
export const idempotencyCases: readonly ContractCase<PetRepository>[] = casesOf('pet.idempotency', {
  'repeat: returns the same pet for the same key, and says that it was stored before': async (
    pets,
  ) => {
    const full = { name: 'Mia', categoryId: -(2n ** 63n), status: 'sold' } as const
    const first = await pets.addWithKey(aNewPet(), keyWith({ key: 'bare' }))
    const second = await pets.addWithKey(aNewPet(full), keyWith({}))
    expectEqual(
      [first.isReplay, second.isReplay],
      [false, false],
      'isReplay of the first call with each key',
    )
    for (const atMs of [START_MS, START_MS + 1, LAST_MS]) {
      const repeats = [
        await pets.addWithKey(aNewPet(), keyWith({ key: 'bare', atMs })),
        await pets.addWithKey(aNewPet({ name: 'Mia', status: 'sold' }), keyWith({ atMs })),
      ]
      const expected = [first, second].map(({ pet }) => ({ pet, isReplay: true }))
      expectEqual(repeats, expected, 'a repeat within the lifetime must return the stored pet')
    }
    expectEqual(await listAll(pets), [first.pet, second.pet], 'repeats must store nothing')
  },
  'concurrent: stores one pet for many calls with the same key at the same time': async (pets) => {
    const results = await Promise.all(
      Array.from({ length: 50 }, () => pets.addWithKey(aNewPet(), keyWith({}))),
    )
    const added = results.map(({ pet }) => pet)
    expectEqual(
      new Set(idsOf(added)).size,
      1,
      'the number of different ids that 50 calls with one key return',
    )
    expectEqual(await listAll(pets), added.slice(0, 1), '50 calls with one key must store one pet')
    expectEqual(
      results.filter(({ isReplay }) => !isReplay).length,
      1,
      'the number of calls that stored the pet',
    )
  },
  'known-beside-new: gives each of many calls at the same time its own pet, a known or a new one':
    async (pets) => {
      const call = (index: number) =>
        pets.addWithKey(
          aNewPet({ name: `Pet ${index}` }),
          keyWith({ key: `${index}`, fingerprint: `${index}` }),
        )
      const all = Array.from({ length: 24 }, (_, index) => index)
      const known = new Map<number, Pet>()
      for (const index of all) if (index % 3 > 0) known.set(index, (await call(index)).pet)
      const results = await Promise.all(all.map(call))
      for (const [index, { pet, isReplay }] of results.entries()) {
        expectEqual(pet.name, `Pet ${index}`, `the name of the pet of call ${index}`)
        expectEqual(isReplay, known.has(index), `isReplay of call ${index}`)
        expectEqual(pet, known.get(index) ?? pet, `the pet of call ${index}, whose key is known`)
        expectEqual(await pets.find(pet.id), pet, `the stored pet of call ${index}`)
      }
      const expected = results.map(({ pet }) => ({ pet, isReplay: true }))
      expectEqual(await Promise.all(all.map(call)), expected, 'repeats of all calls')
    },
  'other-content: rejects other content with a used key, and stores nothing': async (pets) => {
    const first = await addUnder(pets, aNewPet(), keyWith({}))
    for (const atMs of [START_MS, LAST_MS]) {
      await expectReused(() =>
        addUnder(pets, aNewPet({ name: 'Mia' }), keyWith({ fingerprint: 'Mia', atMs })),
      )
    }
    expectEqual(await listAll(pets), [first], 'a rejected call must store nothing')
    expectEqual(
      await addUnder(pets, aNewPet(), keyWith({})),
      first,
      'the key must still belong to the first pet',
    )
  },
  'other-content-concurrent: rejects other content with the same key even at the same time': async (
    pets,
  ) => {
    const names = Array.from({ length: 20 }, (_, index) => (index % 2 === 0 ? 'Rex' : 'Mia'))
    const results = await Promise.allSettled(
      names.map(async (name) => addUnder(pets, aNewPet({ name }), keyWith({ fingerprint: name }))),
    )
    const [first, ...others] = await listAll(pets)
    assert.ok(first, 'one pet must be stored')
    expectEqual(others, [], 'no second pet may be stored')
    for (const [index, result] of results.entries()) {
      if (names[index] === first.name) {
        expectEqual(
          result,
          { status: 'fulfilled', value: first },
          'calls with equal content must return the pet',
        )
      } else {
        const code = result.status === 'rejected' && result.reason.code
        expectEqual(
          code,
          'idempotency_key_reused',
          'calls with other content must reject with this code',
        )
      }
    }
  },
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
  'any-time: compares the times of two calls, whatever the time of the machine is': async (
    pets,
  ) => {
    for (const year of ['2001', '2199']) {
      const atMs = Date.parse(`${year}-01-01T12:00:00Z`)
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
  'rejected: does not use up a key for an add that is rejected': async (pets) => {
    await expectRejection(
      async () => addUnder(pets, unreadable(aNewPet({ status: 'sold' }), 'name'), keyWith({})),
      'addWithKey must reject when the name cannot be read',
    )
    const added = await addUnder(pets, aNewPet({ name: 'Mia' }), keyWith({ fingerprint: 'Mia' }))
    expectEqual(await listAll(pets), [added], 'the key of a rejected call must be usable')
  },
})
