import assert from 'node:assert/strict'
import type { CreatedPet, Pet, PetId, PetRepository } from '@pet-store/domain'
import { type ContractCase, casesOf } from '../case/contract-case.ts'
import { causedBy, expectEqual, expectRejection } from '../case/expectations.ts'
import { unreadable } from '../case/unreadable.ts'
import { aTurnLater } from '../case/wait.ts'
import { aNewPet } from '../test-data/new-pets.ts'
import { idsOf, listAll } from '../test-data/stored-pets.ts'
import { addUnder, expectReused, keyWith, LAST_MS, START_MS } from './idempotency-keys.ts'

/** One pet for each idempotency key, whatever calls come with it. */
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
    const stored: Pet[] = []
    // Calls must meet in the short time between two statements. Those of the first key, which are
    // the most, may still open connections.
    for (const [index, calls] of [50, 5, 5, 5, 5, 5, 5, 5, 5].entries()) {
      const key = keyWith({ key: `${index}` })
      const results = await Promise.all(
        Array.from({ length: calls }, () => pets.addWithKey(aNewPet(), key)),
      )
      const added = results.map(({ pet }) => pet)
      expectEqual(
        new Set(idsOf(added)).size,
        1,
        `the number of different ids that ${calls} calls with one key return`,
      )
      stored.push(...added.slice(0, 1))
      expectEqual(await listAll(pets), stored, `${calls} calls with one key must store one pet`)
      expectEqual(
        results.filter(({ isReplay }) => !isReplay).length,
        1,
        'the number of calls that stored the pet',
      )
    }
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
  'cancelled-beside: stores the pet of a call that waits, although an equal one is cancelled':
    async (pets) => {
      // Before the call, and in the turn of the event loop in which it is made.
      for (const [index, aborted] of [true, false, true, false].entries()) {
        const key = keyWith({ key: `${index}` })
        const cancellation = { aborted }
        const first = pets.addWithKey(aNewPet(), key, cancellation)
        const waiting = [1, 2].map(() => pets.addWithKey(aNewPet(), key))
        cancellation.aborted = true
        const [cancelled, ...results] = await Promise.allSettled([first, ...waiting])
        const reasons = results.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []))
        expectEqual(reasons, [], 'why calls were rejected that nobody has cancelled')
        const created = [cancelled, ...results].flatMap((one) =>
          one?.status === 'fulfilled' ? [one.value] : [],
        )
        expectEqual(
          [created.filter((one) => !one.isReplay).length, new Set(idsOf(petsOf(created))).size],
          [1, 1],
          'how many calls stored a pet, and how many pets they return',
        )
      }
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
      const reason = result.status === 'rejected' ? result.reason : undefined
      if (names[index] === first.name) {
        causedBy(reason, () =>
          expectEqual(
            result,
            { status: 'fulfilled', value: first },
            'calls with equal content must return the pet',
          ),
        )
      } else {
        causedBy(reason, () =>
          expectEqual(
            reason?.code,
            'idempotency_key_reused',
            'calls with other content must reject with this code',
          ),
        )
      }
    }
  },
  'beside-reads: shows no reader a pet of a call that is rejected, or returns another pet': async (
    pets,
  ) => {
    await addUnder(pets, aNewPet(), keyWith({}))
    let hasEnded = false
    const calling = Promise.all(
      Array.from({ length: 4 }, async () => {
        for (let count = 0; count < 8; count += 1) {
          const other = keyWith({ fingerprint: 'Mia' })
          await expectReused(() => addUnder(pets, aNewPet({ name: 'Mia' }), other))
          await addUnder(pets, aNewPet(), keyWith({}))
          // Of these calls one stores a pet.
          await addUnder(pets, aNewPet(), keyWith({ key: `${count}` }))
        }
      }),
    ).finally(() => {
      hasEnded = true
    })
    const seen = new Set<PetId>()
    const reading = async () => {
      while (!hasEnded) {
        const ids = idsOf(await listAll(pets))
        const last = ids.at(-1) ?? 0n
        const next = await Promise.all([1n, 2n, 3n].map((offset) => pets.find(last + offset)))
        for (const id of [...ids, ...idsOf(next.filter((pet) => pet !== undefined))]) seen.add(id)
        await aTurnLater()
      }
    }
    await Promise.all([calling, reading()])
    const stored = await listAll(pets)
    expectEqual(stored.length, 9, 'the number of pets of nine keys')
    for (const { id } of stored) seen.delete(id)
    expectEqual([...seen], [], 'the ids of pets that were read, and are not stored')
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

function petsOf(created: readonly CreatedPet[]): readonly Pet[] {
  return created.map(({ pet }) => pet)
}
