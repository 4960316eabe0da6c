import assert from 'node:assert/strict'
import { IDEMPOTENCY_KEY_LIFETIME_MS, INT64 } from '@pet-store/domain'
import type { BulkAccess, StoredApiKey } from '@pet-store/persistence'
import { importOf, readEverything } from '../bulk-cases/items.ts'
import { casesOf } from '../case/contract-case.ts'
import { expectEqual } from '../case/expectations.ts'
import { aNewApiKey, hashOf, withoutHash } from '../new-api-keys.ts'
import { addPets, aNewPet } from '../new-pets.ts'
import type { HarnessCase, PersistenceHarness } from '../persistence-harness.ts'
import { listAll } from '../stored-pets.ts'
import { after } from '../times.ts'
import { apiKeysOf, withBulkAccess, withPersistence } from '../with-persistence.ts'

const KEY = { owner: 'shop', key: 'key', fingerprint: 'Rex', at: after(0) }

const GROUP = { group: 'persistence.bulk', timeLimitMs: 180_000 }

/** What bulk access writes, an open adapter has, and the other way round. */
export const bulkCases: readonly HarnessCase[] = casesOf(GROUP, {
  'pets: has the pets that bulk access has written, also beside 2^53, and gives greater ids':
    withBulk(async (harness, url, bulk) => {
      const ids = [7n, ...[-1n, 0n, 1n, 2n].map((offset) => 2n ** 53n + offset)]
      const written = ids.map((id) => ({ id, ...aNewPet({ status: 'sold' }) }))
      await bulk(async (open) => {
        await open.writePets(written)
        await open.movePetIdsPast(2n ** 53n + 2n)
      })
      const added = await withPersistence(harness, url, async ({ pets }) => {
        expectEqual(await listAll(pets), written, 'the pets that bulk access has written')
        expectEqual(
          await pets.list({ status: 'sold', limit: 9 }),
          written,
          'those pets by their status',
        )
        for (const [index, pet] of written.entries()) {
          expectEqual(await pets.find(pet.id), pet, `the pet with the id ${pet.id}`)
          const rest = await pets.list({ after: pet.id, limit: 9 })
          expectEqual(rest, written.slice(index + 1), `the pets after the id ${pet.id}`)
        }
        return addPets(pets, 1)
      })
      assert.ok(
        (added[0]?.id ?? 0n) > 2n ** 53n + 2n,
        `the next id must be greater, got ${added[0]?.id}`,
      )
      const all = [...written, ...added]
      expectEqual(await bulk((open) => open.readPets({ limit: 9 })), all, 'all pets')
      await withPersistence(harness, url, async ({ pets }) => {
        expectEqual(await listAll(pets), all, 'all pets, although ids are missing between them')
        const rest = await pets.list({ after: 2n ** 53n + 2n, limit: 9 })
        expectEqual(rest, added, 'the pets after the missing ids')
      })
    }),
  'read: reads everything when it is opened for reading alone, as an export opens it': withBulk(
    async (harness, url, bulk) => {
      const stored = await bulk(async (open) => {
        await open.writePets([{ id: 7n, ...aNewPet() }])
        await open.movePetIdsPast(9n)
        await open.writePetImports([importOf()])
        await open.writeIdempotencyKeys([{ ...KEY, petId: 7n }])
        await open.writeApiKeys([aNewApiKey('kiosk', { createdBy: 'Ada' })])
        return readEverything(open)
      })
      // As a service is started between two attempts of an import.
      await withPersistence(harness, url, async (opened) => opened.check())
      const reading = (await harness.openBulkAccess?.({ url, mode: 'read' })) as BulkAccess
      try {
        expectEqual(
          await readEverything(reading),
          stored,
          'what bulk access for reading alone reads',
        )
      } finally {
        await reading.close()
      }
      const counts = stored.map((items) => (Array.isArray(items) ? items.length : items))
      expectEqual(counts, [1, 1, 9n, 1, 1, 1], 'the number of everything that was written')
    },
  ),
  'idempotency-keys: shares idempotency keys between bulk access and the adapter': withBulk(
    async (harness, url, bulk) => {
      const pet = { id: 7n, ...aNewPet() }
      await bulk(async (open) => {
        await open.writePets([pet])
        await open.writeIdempotencyKeys([{ ...KEY, petId: 7n }])
        await open.movePetIdsPast(7n)
      })
      const created = await withPersistence(harness, url, async ({ pets }) => {
        const repeat = await pets.addWithKey(aNewPet(), KEY)
        expectEqual(
          repeat,
          { pet, isReplay: true },
          'a repeat with a key that bulk access has written',
        )
        const other = await pets.addWithKey(aNewPet(), { ...KEY, key: 'other' })
        // A repeat does not change the time of the first use.
        await pets.addWithKey(aNewPet(), { ...KEY, key: 'other', at: after(9) })
        return other
      })
      const keys = [
        { ...KEY, petId: 7n },
        { ...KEY, key: 'other', petId: created.pet.id },
      ]
      expectEqual(await bulk((open) => open.readIdempotencyKeys(9)), keys, 'all idempotency keys')
      await withPersistence(harness, url, async ({ pets }) => {
        const last = { ...KEY, at: after(IDEMPOTENCY_KEY_LIFETIME_MS - 1) }
        const repeat = await pets.addWithKey(aNewPet(), last)
        expectEqual(repeat, { pet, isReplay: true }, 'a repeat at the end of the lifetime')
      })
      const replaced = { ...KEY, fingerprint: 'Mia', petId: created.pet.id }
      await bulk((open) => open.writeIdempotencyKeys([replaced]))
      const next = await withPersistence(harness, url, async ({ pets }) => {
        const repeat = await pets.addWithKey(aNewPet(), { ...KEY, fingerprint: 'Mia' })
        expectEqual(repeat, { pet: created.pet, isReplay: true }, 'a repeat with the replaced key')
        return pets.addWithKey(aNewPet(), { ...KEY, at: after(IDEMPOTENCY_KEY_LIFETIME_MS) })
      })
      expectEqual(next.isReplay, false, 'isReplay of a call after the lifetime')
      const [newest] = await bulk((open) => open.readIdempotencyKeys(1))
      const expected = { ...KEY, at: after(IDEMPOTENCY_KEY_LIFETIME_MS), petId: next.pet.id }
      expectEqual(newest, expected, 'the key after its next first use')
    },
  ),
  'api-keys: knows the API keys that bulk access has written, and bulk access those of the adapter':
    withBulk(async (harness, url, bulk) => {
      const old = aNewApiKey('old', { createdBy: 'Ada' })
      const successor: StoredApiKey = {
        ...aNewApiKey('successor'),
        replaces: old.id,
        overlapUntil: after(10),
      }
      const ends = [5, 50].map((end) => aNewApiKey(`ends at ${end}`, { expiresAt: after(end) }))
      const nexts = ends.map(({ id }) => ({
        ...aNewApiKey(`next of ${id}`),
        replaces: id,
        overlapUntil: after(10),
      }))
      await bulk((open) => open.writeApiKeys([old, successor, ...ends, ...nexts]))
      await withPersistence(harness, url, async (opened) => {
        const apiKeys = apiKeysOf(opened)
        for (const [index, expiresAt] of [after(5), after(10)].entries()) {
          const { id } = ends[index] as StoredApiKey
          const found = await apiKeys.find(id)
          const expected = { ...withoutHash(ends[index] as StoredApiKey), expiresAt }
          const replacedBy = nexts[index]?.id
          expectEqual(found, { ...expected, replacedBy }, 'a replaced key that ends by itself')
        }
        const ending = { ...withoutHash(old), expiresAt: after(10), replacedBy: successor.id }
        expectEqual(
          await apiKeys.findByHash(old.sha256),
          ending,
          'a replaced key that bulk access has written',
        )
        await apiKeys.replace(successor.id, aNewApiKey('third'), after(20))
        await apiKeys.add(aNewApiKey('ends at 90', { expiresAt: after(90) }))
        await apiKeys.replace('key_ends at 90', aNewApiKey('next ends at'), after(20))
        await apiKeys.revoke('key_third', after(5), 'Bob')
      })
      const third = { ...aNewApiKey('third'), replaces: successor.id, overlapUntil: after(20) }
      const expected = [old, successor, { ...third, revokedAt: after(5), revokedBy: 'Bob' }]
      const stored = await bulk((open) => open.readApiKeys())
      const all = stored.filter(({ id }) => !/ends at/.test(id))
      expectEqual(all, expected, 'all API keys')
      const late = stored.find(({ id }) => id === 'key_ends at 90')
      expectEqual(late?.expiresAt, after(90), 'the own end of a key that the adapter has replaced')
    }),
  'replaced-keys: finds no key that bulk access has replaced, by its old hash or old rotation':
    withBulk(async (harness, url, bulk) => {
      const old = aNewApiKey('old')
      const successor = { ...aNewApiKey('successor'), replaces: old.id, overlapUntil: after(10) }
      await bulk((open) => open.writeApiKeys([old, successor]))
      await withPersistence(harness, url, async (opened) => {
        expectEqual((await apiKeysOf(opened).find(old.id))?.replacedBy, successor.id, 'a rotation')
      })
      const otherHash = hashOf('other')
      await bulk((open) =>
        open.writeApiKeys([{ ...old, sha256: otherHash }, aNewApiKey('successor')]),
      )
      await withPersistence(harness, url, async (opened) => {
        const apiKeys = apiKeysOf(opened)
        expectEqual(await apiKeys.findByHash(old.sha256), undefined, 'a key by its old hash')
        for (const found of [await apiKeys.findByHash(otherHash), await apiKeys.find(old.id)])
          expectEqual(found, withoutHash(old), 'a key that is no longer replaced')
        const isReplaced = await apiKeys.replace(old.id, aNewApiKey('third'), after(20))
        expectEqual(isReplaced, true, 'whether it can be replaced')
      })
      await bulk((open) => open.writeApiKeys([{ ...aNewApiKey('fourth'), sha256: old.sha256 }]))
      await withPersistence(harness, url, async (opened) => {
        const found = await apiKeysOf(opened).findByHash(old.sha256)
        expectEqual(found?.id, 'key_fourth', 'the key that has the hash now')
      })
    }),
  'int64: finds and lists pets that bulk access has written under ids over all of int64': withBulk(
    async (harness, url, bulk) => {
      const ids = [INT64.min, -(2n ** 53n) - 1n, -1n, 0n, 1n, 2n ** 53n + 1n, INT64.max]
      const written = ids.map((id) => ({ id, ...aNewPet({ status: 'sold' }) }))
      await bulk((open) => open.writePets(written))
      await withPersistence(harness, url, async ({ pets }) => {
        expectEqual(await listAll(pets), written, 'all pets')
        for (const [index, pet] of written.entries()) {
          expectEqual(await pets.find(pet.id), pet, `the pet with the id ${pet.id}`)
          for (const query of [{}, { status: 'sold' }] as const) {
            const rest = await pets.list({ ...query, after: pet.id, limit: 9 })
            expectEqual(rest, written.slice(index + 1), `the pets after the id ${pet.id}`)
          }
        }
      })
    },
  ),
})

/**
 * Makes a database, and opens and closes it for bulk access around each work: an adapter may allow
 * one opening at a time.
 */
function withBulk(
  work: (
    harness: PersistenceHarness,
    url: string,
    bulk: <Result>(use: (bulk: BulkAccess) => Promise<Result>) => Promise<Result>,
  ) => Promise<void>,
): HarnessCase['run'] {
  return async (harness) => {
    const url = await harness.emptyDatabase()
    await work(harness, url, (use) => withBulkAccess(harness, url, use))
  }
}
