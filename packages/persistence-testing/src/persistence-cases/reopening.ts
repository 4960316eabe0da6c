import assert from 'node:assert/strict'
import type { ApiKeyRepository } from '@pet-store/access'
import { IDEMPOTENCY_KEY_LIFETIME_MS, INT64, type Pet } from '@pet-store/domain'
import { casesOf } from '../case/contract-case.ts'
import { expectEqual, expectRejection } from '../case/expectations.ts'
import { aNewApiKey, hashOf } from '../new-api-keys.ts'
import { addPets, aNewPet } from '../new-pets.ts'
import { ODD_NAMES } from '../odd-names.ts'
import type { HarnessCase } from '../persistence-harness.ts'
import { ascending, idsOf, listAll } from '../stored-pets.ts'
import { after } from '../times.ts'
import { apiKeysOf, withPersistence } from '../with-persistence.ts'
import { everyCall, prepareCalls } from './every-call.ts'
import { withProcesses } from './other-process.ts'

const HOUR_MS = 3_600_000
const KEY = { owner: 'shop', key: 'key', fingerprint: 'Rex', at: after(0) }

const GROUP = { group: 'persistence.reopen', timeLimitMs: 120_000 }

/** Everything is stored after closing and opening again, even what was being written. */
export const reopeningCases: readonly HarnessCase[] = casesOf(GROUP, {
  'pets: still has all pets after it is opened again, to read alone too, and gives greater ids':
    async (harness) => {
      const url = await harness.emptyDatabase()
      const added = await withPersistence(harness, url, async ({ pets }) => [
        ...(await addPets(pets, 3)),
        await pets.add(aNewPet({ categoryId: INT64.min, status: 'sold' })),
      ])
      const [first, , , sold] = added as [Pet, Pet, Pet, Pet]
      await withPersistence(harness, url, async ({ pets }) => {
        expectEqual(await pets.find(sold.id), sold, 'find must return a pet as it was added')
        expectEqual(await pets.list({ status: 'sold', limit: 9 }), [sold], 'the pets with a status')
        expectEqual(await pets.list({ after: first.id, limit: 2 }), added.slice(1, 3), 'a page')
      })
      const reading = await harness.open({ url, mode: 'read' })
      const read = await listAll(reading.pets)
      await reading.close()
      expectEqual(read, added, 'the pets of an opening for reading alone')
      await withPersistence(harness, url, async ({ pets }) => {
        expectEqual(await listAll(pets), added, 'all pets must be stored as they were added')
        const next = await pets.add(aNewPet())
        assert.ok(next.id > sold.id, `the next id must be greater than ${sold.id}, got ${next.id}`)
      })
    },
  'odd-names: still has every name exactly after it is opened again, of pets and API keys': async (
    harness,
  ) => {
    const url = await harness.emptyDatabase()
    const stored = await withPersistence(harness, url, async ({ pets, apiKeys }) => {
      for (const [index, name] of ODD_NAMES.entries()) {
        await pets.add(aNewPet({ name }))
        await apiKeys?.add(aNewApiKey(`odd ${index}`, { name, createdAt: after(index) }))
      }
      return [await listAll(pets), await apiKeys?.list()]
    })
    await withPersistence(harness, url, async ({ pets, apiKeys }) => {
      expectEqual([await listAll(pets), await apiKeys?.list()], stored, 'what has an odd name')
    })
  },
  'idempotency-keys: still knows idempotency keys after it is opened again': async (harness) => {
    const url = await harness.emptyDatabase()
    const { pet } = await withPersistence(harness, url, ({ pets }) =>
      pets.addWithKey(aNewPet(), KEY),
    )
    await withPersistence(harness, url, async ({ pets }) => {
      const repeat = await pets.addWithKey(aNewPet(), KEY)
      expectEqual(repeat, { pet, isReplay: true }, 'a repeat must return the stored pet')
      await expectRejection(
        () => pets.addWithKey(aNewPet(), { ...KEY, fingerprint: 'Mia' }),
        'other content with the key must be rejected',
        { code: 'idempotency_key_reused' },
      )
      expectEqual(await listAll(pets), [pet], 'nothing more may be stored')
      const nextDay = { ...KEY, at: after(IDEMPOTENCY_KEY_LIFETIME_MS) }
      const next = await pets.addWithKey(aNewPet(), nextDay)
      expectEqual(next.isReplay, false, 'isReplay of a call after the lifetime of the key')
    })
  },
  'idempotency-lifetime: knows a key for its lifetime by the clock, whatever each opening deletes':
    async (harness) => {
      const url = await harness.emptyDatabase()
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
      // With its first new key an opening may delete what has expired.
      for (const key of ['first', 'second'])
        await withPersistence(harness, url, ({ pets }) =>
          pets.addWithKey(aNewPet(), { ...KEY, key, at: undefined }),
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
  'api-keys: still has all API keys after it is opened again': async (harness) => {
    const url = await harness.emptyDatabase()
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
  'pending-writes: finishes every call that was begun before it is closed, reads too': async (
    harness,
  ) => {
    const url = await harness.emptyDatabase()
    await withPersistence(harness, url, async (first) => {
      await first.apiKeys?.add(aNewApiKey('old'))
      await prepareCalls(first, 'closing')
    })
    const opened = await harness.open({ url, mode: 'migrate' })
    const { pets, apiKeys } = opened
    const keyOf = (index: number) => ({ ...KEY, key: `${index}` })
    const adding = Array.from({ length: 20 }, async (_, index) =>
      index % 2 === 0 ? pets.add(aNewPet()) : (await pets.addWithKey(aNewPet(), keyOf(index))).pet,
    )
    const writing =
      apiKeys === undefined
        ? []
        : [
            ...['a', 'b', 'c'].map((name) => apiKeys.add(aNewApiKey(name))),
            apiKeys.markUsed([{ id: 'key_old', at: after(3) }]),
            apiKeys.revoke('key_old', after(5)),
          ]
    const calls = everyCall(opened, 'closing').map(async ({ name, run }) =>
      run().then(
        () => undefined,
        (error: unknown) => `${name} rejected with ${String(error)}`,
      ),
    )
    const all = Promise.allSettled([...adding, ...writing, ...calls])
    let haveEnded = false
    void all.then(() => (haveEnded = true))
    await opened.close()
    // A turn later, because a promise that wraps another one resolves after it.
    await new Promise((resolve) => setImmediate(resolve))
    expectEqual(haveEnded, true, 'whether every call has ended when close resolves')
    const added = await Promise.all(adding)
    await Promise.all(writing)
    const rejected = (await Promise.all(calls)).filter((failure) => failure !== undefined)
    expectEqual(rejected, [], 'every call that was begun before close must resolve')
    await withPersistence(harness, url, async (again) => {
      const listed = await listAll(again.pets)
      expectEqual(
        idsOf(listed.filter(({ name }) => name === 'Rex')),
        ascending(idsOf(added)),
        'every add that was begun before close must be stored',
      )
      const repeat = await again.pets.addWithKey(aNewPet(), keyOf(1))
      expectEqual(repeat.pet, added[1], 'a repeat with a key of such an add')
      if (again.apiKeys === undefined) return
      const ids = (await again.apiKeys.list())
        .map(({ id }) => id)
        .filter((id) => !id.includes('closing'))
      expectEqual(
        ids.toSorted(),
        ['key_a', 'key_b', 'key_c', 'key_old'],
        'every key that was added before close',
      )
      const { lastUsedAt, revokedAt } = (await again.apiKeys.find('key_old')) ?? {}
      expectEqual(
        [lastUsedAt, revokedAt],
        [after(3), after(5)],
        'the use and the revocation before close',
      )
    })
  },
  'process-ends: leaves nothing behind that keeps the process running when it is closed':
    withProcesses(async (harness, start) => {
      const { code, errors } = await start(await harness.emptyDatabase(), CLOSED).ended
      assert.notEqual(
        code,
        STILL_RUNNING,
        `the process must end by itself within ${GRACE_MS} ms after close`,
      )
      expectEqual(code, 0, `the process must end without an error; it printed: ${errors}`)
      if (harness.openBulkAccess === undefined) return
      const { bulkExportName = 'openBulkAccess' } = harness
      const bulk = await start(await harness.emptyDatabase(), BULK_CLOSED, [bulkExportName]).ended
      expectEqual(bulk.code, 0, `bulk access must let the process end; it printed: ${bulk.errors}`)
    }),
})

const GRACE_MS = 10_000
const STILL_RUNNING = 9

/**
 * Adds a pet, closes while calls are under way, and does nothing more. Node ends with an error when
 * nothing is left that could end a call.
 */
const CLOSED = `
  const opened = await open({ url, mode: 'migrate' })
  const { pets, apiKeys } = opened
  const pet = { name: 'Rex', categoryId: 1n }
  await pets.add(pet)
  await opened.check()
  const key = { owner: 'shop', key: 'key', fingerprint: 'Rex' }
  const calls = [
    pets.add(pet), pets.addWithKey(pet, key), pets.find(1n), pets.list({ limit: 1 }),
    apiKeys?.list(), apiKeys?.markUsed([{ id: 'key_none', at: new Date() }]),
    opened.createRateLimiter?.({ requests: 1, windowMs: 1_000 }).take('key_kiosk'),
  ]
  await opened.close()
  await Promise.all(calls)
  setTimeout(() => process.exit(${STILL_RUNNING}), ${GRACE_MS}).unref()`

const BULK_CLOSED = `
  const [bulkExportName] = values
  const bulk = await (await import(module))[bulkExportName]({ url, mode: 'migrate' })
  await bulk.addPets([{ name: 'Rex', categoryId: 1n }])
  await bulk.close()
  setTimeout(() => process.exit(${STILL_RUNNING}), ${GRACE_MS}).unref()`

/** Each key as every function returns it. */
async function statesOf(apiKeys: ApiKeyRepository): Promise<readonly unknown[]> {
  const found = ['old', 'successor'].flatMap((name) => [
    apiKeys.find(`key_${name}`),
    apiKeys.findByHash(hashOf(name)),
  ])
  return [await apiKeys.list(), ...(await Promise.all(found))]
}
