import { IDEMPOTENCY_KEY_LIFETIME_MS } from '@pet-store/domain'
import type { StoredApiKey, StoredIdempotencyKey } from '@pet-store/persistence'
import { withBulk } from '../adapter/with-bulk.ts'
import { apiKeysOf, withPersistence } from '../adapter/with-persistence.ts'
import { casesOf } from '../case/contract-case.ts'
import { expectEqual } from '../case/expectations.ts'
import type { HarnessCase } from '../harness/persistence-harness.ts'
import { aNewApiKey, hashOf, withoutHash } from '../test-data/new-api-keys.ts'
import { anIdempotencyKey } from '../test-data/new-idempotency-keys.ts'
import { aNewPet } from '../test-data/new-pets.ts'
import { after } from '../test-data/times.ts'

const KEY = anIdempotencyKey()

/** More than an adapter deletes at a time beside an add, and long expired. */
const FEW_KEYS = 30
const EXPIRED = new Date(Date.now() - 3 * IDEMPOTENCY_KEY_LIFETIME_MS)

/** Keys that the adapter replaces, and changes after that. */
const OWN_ENDS = ['own', 'own, used', 'own, revoked']

const GROUP = { group: 'persistence.bulk', timeLimitMs: 180_000 }

/** Keys that bulk access writes, an open adapter knows, and the other way round. */
export const bulkAndKeysCases: readonly HarnessCase[] = casesOf(GROUP, {
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
      expectEqual(
        await bulk((open) => open.readIdempotencyKeys(9)),
        keys,
        'readIdempotencyKeys must return the keys of bulk access and the adapter',
      )
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
  'expired-keys: reads and writes idempotency keys after the adapter has deleted expired ones':
    withBulk(async (harness, url, bulk) => {
      const created = await withPersistence(harness, url, async ({ pets }) => {
        const keys: StoredIdempotencyKey[] = []
        // An adapter may delete expired ones when it adds others, or some of them at a time.
        for (const at of [EXPIRED, new Date(), new Date()])
          for (let count = 0; count < FEW_KEYS; count += 1) {
            const key = anIdempotencyKey({ key: `${String(keys.length).padStart(3, '0')}`, at })
            const { pet } = await pets.addWithKey(aNewPet(), key)
            keys.push({ ...key, at, petId: pet.id })
          }
        return keys
      })
      await bulk(async (open) => {
        const readAll = async () => {
          const all: StoredIdempotencyKey[] = []
          for (let pages = 0; pages < created.length; pages += 1) {
            const page = await open.readIdempotencyKeys(FEW_KEYS - 1, all.at(-1))
            if (page.length === 0) break
            all.push(...page)
          }
          return all
        }
        for (const when of ['', ' and written again']) {
          const read = await readAll()
          const isThere = new Set(read.map(({ key }) => key))
          const expected = created.filter(({ key, at }) => at !== EXPIRED || isThere.has(key))
          expectEqual(read, expected, `the keys that were used${when}, the expired ones or not`)
          await open.writeIdempotencyKeys(created)
        }
      })
      // Written with another time, they have that one, whatever an adapter deletes.
      const renewed = created
        .filter(({ at }) => at === EXPIRED)
        .map((key) => ({ ...key, at: after(0) }))
      await bulk((open) => open.writeIdempotencyKeys(renewed))
      await withPersistence(harness, url, async ({ pets }) => {
        for (let count = 0; count < FEW_KEYS; count += 1) {
          const { owner, fingerprint } = KEY
          await pets.addWithKey(aNewPet(), { owner, key: `new ${count}`, fingerprint })
        }
      })
      const read = await bulk((open) => open.readIdempotencyKeys(FEW_KEYS))
      expectEqual(read, renewed, 'the keys that were written again, with a later time')
    }),
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
      await bulk(async (open) => {
        // A copy writes many pages, by ascending id: a successor may come first.
        await open.writeApiKeys([successor, ...nexts.slice(1)])
        await open.writeApiKeys([old, ...ends, ...nexts.slice(0, 1)])
      })
      await withPersistence(harness, url, async (opened) => {
        const apiKeys = apiKeysOf(opened)
        for (const [index, expiresAt] of [after(5), after(10)].entries()) {
          const { id } = ends[index] as StoredApiKey
          const found = await apiKeys.find(id)
          const expected = { ...withoutHash(ends[index] as StoredApiKey), expiresAt }
          const replacedBy = nexts[index]?.id
          expectEqual(
            found,
            { ...expected, replacedBy },
            'find must return the earlier end of a replaced key',
          )
        }
        const ending = { ...withoutHash(old), expiresAt: after(10), replacedBy: successor.id }
        expectEqual(
          await apiKeys.findByHash(old.sha256),
          ending,
          'findByHash must return a key that bulk access has replaced',
        )
        await apiKeys.replace(successor.id, aNewApiKey('third'), after(20))
        for (const name of OWN_ENDS) {
          await apiKeys.add(aNewApiKey(name, { expiresAt: after(90) }))
          await apiKeys.replace(`key_${name}`, aNewApiKey(`next of ${name}`), after(20))
        }
        await apiKeys.markUsed([{ id: 'key_own, used', at: after(3) }])
        await apiKeys.revoke('key_own, revoked', after(5), 'Bob')
        await apiKeys.revoke('key_third', after(5), 'Bob')
      })
      const third = { ...aNewApiKey('third'), replaces: successor.id, overlapUntil: after(20) }
      const expected = [old, successor, { ...third, revokedAt: after(5), revokedBy: 'Bob' }]
      const stored = await bulk((open) => open.readApiKeys())
      const all = stored.filter(({ id }) => !/ends at|own/.test(id))
      expectEqual(
        all,
        expected,
        'readApiKeys must return the keys that bulk access and the adapter wrote',
      )
      for (const name of OWN_ENDS) {
        const found = stored.find(({ id }) => id === `key_${name}`)
        expectEqual(
          found?.expiresAt,
          after(90),
          `the own end of a key that the adapter has replaced (${name})`,
        )
      }
    }),
  'replaced-keys: finds no key that bulk access has replaced, by its old hash or old rotation':
    withBulk(async (harness, url, bulk) => {
      const old = aNewApiKey('old')
      const successor = { ...aNewApiKey('successor'), replaces: old.id, overlapUntil: after(10) }
      await bulk((open) => open.writeApiKeys([old, successor]))
      await withPersistence(harness, url, async (opened) => {
        expectEqual(
          (await apiKeysOf(opened).find(old.id))?.replacedBy,
          successor.id,
          'replacedBy of a key whose rotation bulk access has written',
        )
      })
      const otherHash = hashOf('other')
      await bulk((open) =>
        open.writeApiKeys([{ ...old, sha256: otherHash }, aNewApiKey('successor')]),
      )
      await withPersistence(harness, url, async (opened) => {
        const apiKeys = apiKeysOf(opened)
        expectEqual(
          await apiKeys.findByHash(old.sha256),
          undefined,
          'findByHash must find no key by a hash that was replaced',
        )
        for (const found of [await apiKeys.findByHash(otherHash), await apiKeys.find(old.id)])
          expectEqual(
            found,
            withoutHash(old),
            'a key whose successor bulk access has written without its rotation',
          )
        const isReplaced = await apiKeys.replace(old.id, aNewApiKey('third'), after(20))
        expectEqual(
          isReplaced,
          true,
          'replace must return true for a key that is no longer replaced',
        )
      })
      await bulk((open) => open.writeApiKeys([{ ...aNewApiKey('fourth'), sha256: old.sha256 }]))
      await withPersistence(harness, url, async (opened) => {
        const found = await apiKeysOf(opened).findByHash(old.sha256)
        expectEqual(found?.id, 'key_fourth', 'findByHash must return the key that has the hash now')
      })
    }),
})
