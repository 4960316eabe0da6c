import assert from 'node:assert/strict'
import { INT64 } from '@pet-store/domain'
import { casesOf, expectEqual, expectRejection } from '../contract-case.ts'
import { after, aNewApiKey } from '../new-api-keys.ts'
import { addPets, aNewPet, ascending, idsOf, listAll } from '../new-pets.ts'
import { type HarnessCase, withPersistence } from '../persistence-harness.ts'

const KEY = { owner: 'shop', key: 'key', fingerprint: 'Rex', at: after(0) }

/** Everything is stored after closing and opening again, even what was being written. */
export const reopeningCases: readonly HarnessCase[] = casesOf('persistence.reopen', [
  {
    id: 'pets',
    name: 'still has all pets after it is opened again, and gives greater ids',
    async run(harness) {
      const url = await harness.emptyPlace()
      const added = await withPersistence(harness, url, async ({ pets }) => [
        ...(await addPets(pets, 3)),
        await pets.add(aNewPet({ categoryId: INT64.min, status: 'sold' })),
      ])
      await withPersistence(harness, url, async ({ pets }) => {
        expectEqual(await listAll(pets), added, 'all pets must be stored as they were added')
        const next = await pets.add(aNewPet())
        const lastId = added.at(-1)?.id ?? 0n
        assert.ok(next.id > lastId, `the next id must be greater than ${lastId}, got ${next.id}`)
      })
      return undefined
    },
  },
  {
    id: 'idempotency-keys',
    name: 'still knows idempotency keys after it is opened again',
    async run(harness) {
      const url = await harness.emptyPlace()
      const { pet } = await withPersistence(harness, url, ({ pets }) => pets.addWithKey(aNewPet(), KEY))
      await withPersistence(harness, url, async ({ pets }) => {
        const repeat = await pets.addWithKey(aNewPet(), KEY)
        expectEqual(repeat, { pet, isReplay: true }, 'a repeat must return the stored pet')
        await expectRejection(
          () => pets.addWithKey(aNewPet(), { ...KEY, fingerprint: 'Mia' }),
          'other content with the key must be rejected',
          { code: 'idempotency_key_reused' },
        )
        expectEqual(await listAll(pets), [pet], 'nothing more may be stored')
      })
      return undefined
    },
  },
  {
    id: 'api-keys',
    name: 'still has all API keys after it is opened again',
    async run(harness) {
      const url = await harness.emptyPlace()
      const stored = await withPersistence(harness, url, async ({ apiKeys }) => {
        if (apiKeys === undefined) return undefined
        await apiKeys.add(aNewApiKey('old'))
        await apiKeys.replace('key_old', aNewApiKey('successor', { createdAt: after(1) }), after(10))
        await apiKeys.revoke('key_successor', after(5))
        await apiKeys.markUsed([{ id: 'key_old', at: after(3) }])
        return apiKeys.list()
      })
      if (stored === undefined) return 'the adapter stores no API keys'
      const listed = await withPersistence(harness, url, async ({ apiKeys }) => apiKeys?.list())
      expectEqual(listed, stored, 'all API keys must be stored with their state')
      return undefined
    },
  },
  {
    id: 'read-only',
    name: 'opens for reading alone, as an export does',
    async run(harness) {
      const url = await harness.emptyPlace()
      const added = await withPersistence(harness, url, ({ pets }) => addPets(pets, 3))
      const persistence = await harness.open({ url, readOnly: true, create: false })
      try {
        expectEqual(await listAll(persistence.pets), added, 'all pets must be readable')
      } finally {
        await persistence.close()
      }
      return undefined
    },
  },
  {
    id: 'pending-writes',
    name: 'finishes pending writes when it is closed',
    async run(harness) {
      const url = await harness.emptyPlace()
      const persistence = await harness.open({ url, migrate: true })
      const adding = Promise.all(Array.from({ length: 20 }, () => persistence.pets.add(aNewPet())))
      await persistence.close()
      const added = await adding
      const listed = await withPersistence(harness, url, ({ pets }) => listAll(pets))
      expectEqual(idsOf(listed), ascending(idsOf(added)), 'every add that was begun before close must be stored')
      return undefined
    },
  },
])
