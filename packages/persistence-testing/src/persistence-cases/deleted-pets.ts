import assert from 'node:assert/strict'
import type { Pet } from '@pet-store/domain'
import { withBulkAccess, withPersistence } from '../adapter/with-persistence.ts'
import { casesOf } from '../case/contract-case.ts'
import { expectEqual } from '../case/expectations.ts'
import { memberOf } from '../harness/harness-members.ts'
import type { HarnessCase, PersistenceHarness } from '../harness/persistence-harness.ts'
import { anIdempotencyKey } from '../test-data/new-idempotency-keys.ts'
import { addKeyed, aNewPet } from '../test-data/new-pets.ts'
import { idsOf, listAll } from '../test-data/stored-pets.ts'

const KEY = anIdempotencyKey()

const GROUP = { group: 'persistence.reopen', timeLimitMs: 120_000 }

/** A pet that was deleted by hand is not found, and its idempotency key is new again. */
export const deletedPetCases: readonly HarnessCase[] = casesOf(GROUP, {
  'deleted-pet: stores a new pet for an idempotency key whose pet was deleted by hand': async (
    harness,
  ) => {
    const deletePet = memberOf(harness, 'deletePet')
    const url = await harness.emptyDatabase({ mayHaveSchema: true })
    const deleted = await withPersistence(harness, url, ({ pets }) =>
      pets.addWithKey(aNewPet(), KEY),
    )
    await deletePet(url, deleted.pet.id)
    await withPersistence(harness, url, async ({ pets }) => {
      const { pet, isReplay } = await pets.addWithKey(aNewPet(), KEY)
      expectEqual(isReplay, false, 'isReplay of a call whose earlier pet was deleted')
      assert.ok(
        pet.id > deleted.pet.id,
        `the new id must be greater than ${deleted.pet.id}, got ${pet.id}`,
      )
      expectEqual(await listAll(pets), [pet], 'the new pet alone must be stored')
      expectEqual(
        await pets.addWithKey(aNewPet(), KEY),
        { pet, isReplay: true },
        'a repeat must return the new pet',
      )
    })
    await expectDeletedOnce(harness, url)
    await expectLifetimeAnew(harness, url)
    if (harness.capabilities?.severalProcesses) await expectDeletedMeanwhile(harness, url)
    if (harness.openBulkAccess !== undefined) {
      await withBulkAccess(harness, url, async (bulk) => {
        const [last] = (await bulk.readPets({ limit: 99 })).slice(-1) as [Pet]
        expectEqual(await bulk.lastPetId(), last.id, 'lastPetId before its pet is deleted')
        const count = await bulk.countPets()
        await deletePet(url, last.id)
        expectEqual(await bulk.countPets(), count - 1, 'countPets after a pet was deleted')
        const ids = idsOf(await bulk.readPets({ limit: 99 }))
        expectEqual(ids.includes(last.id), false, 'whether readPets returns the deleted pet')
        expectEqual(await bulk.lastPetId(), last.id, 'lastPetId after its pet was deleted')
      })
    }
  },
})

/** The key is new again: for other content too, and for one of several calls. */
async function expectDeletedOnce(harness: PersistenceHarness, url: string): Promise<void> {
  const deletePet = memberOf(harness, 'deletePet')
  const keys = ['same', 'other'].map((key) => ({ ...KEY, key }))
  const [same, other] = await withPersistence(harness, url, async ({ pets }) => {
    const added: Pet[] = []
    for (const key of keys) added.push((await pets.addWithKey(aNewPet(), key)).pet)
    return added as [Pet, Pet]
  })
  for (const { id } of [same, other]) await deletePet(url, id)
  await withPersistence(harness, url, async ({ pets }) => {
    const calls = Array.from({ length: 20 }, () =>
      pets.addWithKey(aNewPet(), keys[0] as typeof KEY),
    )
    const created = await Promise.all(calls)
    expectEqual(
      [
        new Set(created.map(({ pet }) => pet.id)).size,
        created.filter((one) => !one.isReplay).length,
      ],
      [1, 1],
      'how many pets 20 calls at the same time have, and how many of them stored one',
    )
    const mia = { ...(keys[1] as typeof KEY), fingerprint: 'Mia' }
    const next = await pets.addWithKey(aNewPet({ name: 'Mia' }), mia)
    expectEqual(next.isReplay, false, 'isReplay of other content whose earlier pet was deleted')
    const repeat = await pets.addWithKey(aNewPet({ name: 'Mia' }), mia)
    expectEqual(
      repeat,
      { pet: next.pet, isReplay: true },
      'a repeat of other content must return its pet',
    )
  })
}

/** The lifetime of the key begins anew too, whatever is known of its first use. */
async function expectLifetimeAnew(harness: PersistenceHarness, url: string): Promise<void> {
  const deletePet = memberOf(harness, 'deletePet')
  const key = { owner: KEY.owner, key: 'anew', fingerprint: KEY.fingerprint }
  const used = (hours: number) => ({ ...key, at: new Date(Date.now() - hours * 3_600_000) })
  const first = await withPersistence(harness, url, ({ pets }) =>
    pets.addWithKey(aNewPet(), used(30)),
  )
  await deletePet(url, first.pet.id)
  await withPersistence(harness, url, async ({ pets }) => {
    const { pet, isReplay } = await pets.addWithKey(aNewPet(), used(20))
    expectEqual(isReplay, false, 'isReplay of a call whose pet of ten hours before was deleted')
    // With these an adapter may delete what has expired.
    for (let count = 0; count < 3; count += 1) await addKeyed(pets, aNewPet())
    for (let count = 0; count < 3; count += 1)
      await pets.addWithKey(aNewPet(), { ...key, key: `anew ${count}` })
    expectEqual(
      await pets.addWithKey(aNewPet(), key),
      { pet, isReplay: true },
      'a repeat within a day of the call that stored the new pet',
    )
  })
}

/** The same of an adapter that stays open, and has read and added the pet before. */
async function expectDeletedMeanwhile(harness: PersistenceHarness, url: string): Promise<void> {
  const deletePet = memberOf(harness, 'deletePet')
  await withPersistence(harness, url, async ({ pets }) => {
    const key = { ...KEY, key: 'meanwhile' }
    const { pet } = await pets.addWithKey(aNewPet({ status: 'pending' }), key)
    const kept = await pets.add(aNewPet({ status: 'pending' }))
    const queries = [{ limit: 99 }, { status: 'pending', limit: 9 }] as const
    for (const query of queries) await pets.list(query)
    await pets.find(pet.id)
    await deletePet(url, pet.id)
    expectEqual(
      await pets.find(pet.id),
      undefined,
      'find must return undefined for a pet that was deleted by hand',
    )
    for (const query of queries) {
      const ids = idsOf(await pets.list(query))
      expectEqual(
        [ids.includes(pet.id), ids.at(-1)],
        [false, kept.id],
        'whether the deleted pet is listed, and the id of the last one',
      )
    }
    const next = await pets.addWithKey(aNewPet({ status: 'pending' }), key)
    expectEqual(next.isReplay, false, 'isReplay of a call whose pet was deleted meanwhile')
    expectEqual(
      await pets.find(next.pet.id),
      next.pet,
      'find must return the pet that replaced the deleted one',
    )
  })
}
