import assert from 'node:assert/strict'
import type { ApiKeyRepository } from '@pet-store/access'
import {
  IDEMPOTENCY_KEY_LIFETIME_MS,
  INT64,
  type NewPet,
  PET_NAME,
  type Pet,
} from '@pet-store/domain'
import type { Persistence } from '@pet-store/persistence'
import { everyCall, failureOf } from '../adapter/every-call.ts'
import { apiKeysOf, withPersistence } from '../adapter/with-persistence.ts'
import { casesOf } from '../case/contract-case.ts'
import { expectEqual, expectRejection } from '../case/expectations.ts'
import { aMomentLater } from '../case/wait.ts'
import type { HarnessCase } from '../harness/persistence-harness.ts'
import { aNewApiKey, hashOf } from '../test-data/new-api-keys.ts'
import { anIdempotencyKey } from '../test-data/new-idempotency-keys.ts'
import { addManyPets, addPets, aNewPet } from '../test-data/new-pets.ts'
import { ODD_NAMES } from '../test-data/odd-texts.ts'
import { idsOf, listAll } from '../test-data/stored-pets.ts'
import { after } from '../test-data/times.ts'

const HOUR_MS = 3_600_000

const KEY = anIdempotencyKey()

/** Half a megabyte: more than what is read of a file, or written to a socket, at a time. */
const LONG_NAMES = 120

/** A rejected call may leave something open, to which what is written next would belong. */
const REJECTED_CALLS: readonly (readonly [string, (opened: Persistence) => unknown])[] = [
  ['a used key', ({ pets }) => pets.addWithKey(aNewPet(), { ...KEY, fingerprint: 'Mia' })],
  [
    'a category out of range',
    async ({ pets }) => {
      const pet = { name: 'out of range', categoryId: INT64.max + 1n } as unknown as NewPet
      await pets.addWithKey(pet, { ...KEY, key: 'out of range' })
    },
  ],
  ['a taken API key', ({ apiKeys }) => apiKeys?.add(aNewApiKey('taken'))],
  [
    'a successor that is taken',
    ({ apiKeys }) => apiKeys?.replace('key_taken', aNewApiKey('taken'), after(9)),
  ],
  [
    'an unknown API key',
    ({ apiKeys }) => apiKeys?.replace('key_unknown', aNewApiKey('next'), after(9)),
  ],
]

const GROUP = { group: 'persistence.reopen', timeLimitMs: 120_000 }

/** Everything is stored after closing and opening again. */
export const reopeningCases: readonly HarnessCase[] = casesOf(GROUP, {
  'pets: still has all pets after it is opened again, to read alone too, and gives greater ids':
    async (harness) => {
      const url = await harness.emptyDatabase({ mayHaveSchema: true })
      const added = await withPersistence(harness, url, async ({ pets }) => [
        ...(await addPets(pets, 3)),
        await pets.add(aNewPet({ categoryId: INT64.min, status: 'sold' })),
      ])
      const [first, , , sold] = added as [Pet, Pet, Pet, Pet]
      await withPersistence(harness, url, async ({ pets }) => {
        expectEqual(await pets.find(sold.id), sold, 'find must return a pet as it was added')
        expectEqual(
          await pets.list({ status: 'sold', limit: 9 }),
          [sold],
          'list with a status must return its pets after it is opened again',
        )
        expectEqual(
          await pets.list({ after: first.id, limit: 2 }),
          added.slice(1, 3),
          'list must return a page of pets after it is opened again',
        )
      })
      const reading = await harness.open({ url, mode: 'read' })
      const read = await listAll(reading.pets)
      const reads = everyCall(reading, 'reading').filter(({ isRead }) => isRead)
      const failures = await Promise.all(reads.map(failureOf))
      await reading.close()
      const rejected = failures.filter((failure) => failure !== undefined)
      expectEqual(rejected, [], 'every read, and check, must resolve in the mode read')
      expectEqual(read, added, 'list must return all pets when it is opened in the mode read')
      await withPersistence(harness, url, async ({ pets }) => {
        expectEqual(await listAll(pets), added, 'all pets must be stored as they were added')
        const next = await pets.add(aNewPet())
        assert.ok(next.id > sold.id, `the next id must be greater than ${sold.id}, got ${next.id}`)
      })
    },
  'odd-names: still has every name exactly after it is opened again, of pets and API keys': async (
    harness,
  ) => {
    const url = await harness.emptyDatabase({ mayHaveSchema: true })
    const stored = await withPersistence(harness, url, async ({ pets, apiKeys }) => {
      for (const [index, name] of ODD_NAMES.entries()) {
        await pets.add(aNewPet({ name }))
        await apiKeys?.add(aNewApiKey(`odd ${index}`, { name, createdAt: after(index) }))
      }
      return [await listAll(pets), await apiKeys?.list()]
    })
    await withPersistence(harness, url, async ({ pets, apiKeys }) => {
      expectEqual(
        [await listAll(pets), await apiKeys?.list()],
        stored,
        'pets and API keys must have the same names after it is opened again',
      )
    })
  },
  'long-names: still has many of the longest names exactly after it is opened again': async (
    harness,
  ) => {
    const url = await harness.emptyDatabase()
    // Each begins at another byte, so that no border comes between two characters each time.
    const nameOf = (index: number) =>
      'a'.repeat(index % 4) + '🐕'.repeat(PET_NAME.maxCodePoints - 4)
    const added = await withPersistence(harness, url, ({ pets }) =>
      addManyPets(pets, LONG_NAMES, (index) => ({ name: nameOf(index) })),
    )
    await withPersistence(harness, url, async ({ pets }) => {
      const wrong = (await listAll(pets)).filter(({ name }, index) => name !== added[index]?.name)
      expectEqual(idsOf(wrong), [], 'the ids of the pets that have another name')
      expectEqual((await listAll(pets)).length, LONG_NAMES, 'the number of pets')
    })
  },
  'after-rejected: still has what was written after a call of any kind was rejected': async (
    harness,
  ) => {
    const url = await harness.emptyDatabase({ mayHaveSchema: true })
    await withPersistence(harness, url, async ({ pets, apiKeys }) => {
      await pets.addWithKey(aNewPet(), KEY)
      await apiKeys?.add(aNewApiKey('taken'))
    })
    for (const [name, call] of REJECTED_CALLS) {
      const pet = await withPersistence(harness, url, async (opened) => {
        await Promise.resolve(call(opened)).catch(() => undefined)
        await opened.apiKeys?.add(aNewApiKey(`after ${name}`))
        return opened.pets.add(aNewPet({ name }))
      })
      await withPersistence(harness, url, async ({ pets, apiKeys }) => {
        expectEqual(await pets.find(pet.id), pet, `the pet that was added after ${name}`)
        const key = await apiKeys?.find(aNewApiKey(`after ${name}`).id)
        expectEqual(key?.name, apiKeys && `after ${name}`, `the API key after ${name}`)
      })
    }
  },
  'idempotency-keys: still knows idempotency keys after it is opened again': async (harness) => {
    const url = await harness.emptyDatabase({ mayHaveSchema: true })
    // As the service calls it.
    const now = { owner: 'shop', key: 'without a time', fingerprint: 'Rex' }
    const [pet, ofNow] = await withPersistence(harness, url, async ({ pets }) => [
      (await pets.addWithKey(aNewPet(), KEY)).pet,
      (await pets.addWithKey(aNewPet(), now)).pet,
    ])
    await withPersistence(harness, url, async ({ pets }) => {
      // The clock of the database may be an hour behind or ahead.
      const hours = (count: number) => new Date(Date.now() + count * HOUR_MS)
      for (const at of [undefined, hours(0), hours(22)]) {
        const again = await pets.addWithKey(aNewPet(), { ...now, at })
        expectEqual(again, { pet: ofNow, isReplay: true }, 'a repeat of a call without a time')
      }
      const repeat = await pets.addWithKey(aNewPet(), KEY)
      expectEqual(repeat, { pet, isReplay: true }, 'a repeat must return the stored pet')
      await expectRejection(
        () => pets.addWithKey(aNewPet(), { ...KEY, fingerprint: 'Mia' }),
        'other content with the key must be rejected',
        { code: 'idempotency_key_reused' },
      )
      expectEqual(await listAll(pets), [pet, ofNow], 'nothing more may be stored')
      const nextDay = { ...KEY, at: after(IDEMPOTENCY_KEY_LIFETIME_MS) }
      const next = await pets.addWithKey(aNewPet(), nextDay)
      expectEqual(next.isReplay, false, 'isReplay of a call after the lifetime of the key')
      const late = await pets.addWithKey(aNewPet(), { ...now, at: hours(26) })
      expectEqual(late.isReplay, false, 'isReplay 26 hours after a call without a time')
    })
  },
  'idempotency-lifetime: knows a key for its lifetime by the clock, whatever each opening deletes':
    async (harness) => {
      const url = await harness.emptyDatabase({ mayHaveSchema: true })
      const now = Date.now()
      const keysOf = (hours: readonly number[]) =>
        hours.map((ago) => ({ ...KEY, key: `${ago}`, at: new Date(now - ago * HOUR_MS) }))
      // The clock of the database may be an hour behind or ahead.
      const valid = keysOf([0, 1, 7, 11, 13, 17, 22])
      const expired = keysOf([26, 30])
      const stored = await withPersistence(harness, url, async ({ pets }) => {
        const added: Pet[] = []
        for (const key of [...expired, ...valid])
          added.push((await pets.addWithKey(aNewPet(), key)).pet)
        return added
      })
      // With its first new key an opening may delete what has expired, by the clock too.
      const ahead = new Date(now + 72 * HOUR_MS)
      for (const at of [undefined, ahead, undefined])
        await withPersistence(harness, url, ({ pets }) =>
          pets.addWithKey(aNewPet(), { ...KEY, key: `deletes at ${Number(at)}`, at }),
        )
      await withPersistence(harness, url, async ({ pets }) => {
        for (const [index, { key }] of [...expired, ...valid].entries()) {
          const { pet, isReplay } = await pets.addWithKey(aNewPet(), { ...KEY, key, at: undefined })
          const isValid = index >= expired.length
          expectEqual(isReplay, isValid, `isReplay of a key that was first used ${key} hours ago`)
          if (isValid) expectEqual(pet, stored[index], `the pet of the key of ${key} hours ago`)
        }
      })
    },
  'idempotency-late: knows the key of a call that is made days after it was requested': async (
    harness,
  ) => {
    const url = await harness.emptyDatabase({ mayHaveSchema: true })
    const late = { ...KEY, at: new Date(Date.now() - 72 * HOUR_MS) }
    const { pet } = await withPersistence(harness, url, ({ pets }) =>
      pets.addWithKey(aNewPet(), late),
    )
    // An opening may delete what has expired: not this key, at the time of no call.
    await withPersistence(harness, url, async (opened) => {
      await opened.check()
      await aMomentLater()
    })
    await withPersistence(harness, url, async ({ pets }) => {
      const repeat = await pets.addWithKey(aNewPet(), late)
      expectEqual(repeat, { pet, isReplay: true }, 'a repeat, as late, must return the stored pet')
    })
    // It is valid up to the last millisecond, for whichever call an opening deletes expired keys.
    const last = new Date(late.at.getTime() + IDEMPOTENCY_KEY_LIFETIME_MS - 1)
    await withPersistence(harness, url, async ({ pets }) => {
      await pets.addWithKey(aNewPet(), { ...KEY, key: 'deletes', at: last })
      await aMomentLater()
      const repeat = await pets.addWithKey(aNewPet(), { ...late, at: last })
      expectEqual(repeat, { pet, isReplay: true }, 'a repeat in the last millisecond of the key')
    })
  },
  'api-keys: still has all API keys after it is opened again': async (harness) => {
    const url = await harness.emptyDatabase({ mayHaveSchema: true })
    const stored = await withPersistence(harness, url, async (opened) => {
      const apiKeys = apiKeysOf(opened)
      await apiKeys.add(aNewApiKey('old'))
      await apiKeys.replace('key_old', aNewApiKey('successor', { createdAt: after(1) }), after(10))
      await apiKeys.revoke('key_successor', after(5))
      await apiKeys.markUsed([{ id: 'key_old', at: after(3) }])
      return statesOf(apiKeys)
    })
    const again = await withPersistence(harness, url, (opened) => statesOf(apiKeysOf(opened)))
    expectEqual(again, stored, 'all API keys must be stored with their state')
  },
})

/** Each key as every function returns it. */
async function statesOf(apiKeys: ApiKeyRepository): Promise<readonly unknown[]> {
  const found = ['old', 'successor'].flatMap((name) => [
    apiKeys.find(`key_${name}`),
    apiKeys.findByHash(hashOf(name)),
  ])
  return [await apiKeys.list(), ...(await Promise.all(found))]
}
