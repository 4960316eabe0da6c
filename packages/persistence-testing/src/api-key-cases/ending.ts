import assert from 'node:assert/strict'
import type { ApiKeyRepository } from '@pet-store/access'
import type { ContractCase } from '../contract-case.ts'
import { after, aNewApiKey, NOON } from './a-new-api-key.ts'

/** Keys are revoked for good, and their last use is noted. */
export const endingCases: readonly ContractCase<ApiKeyRepository>[] = [
  {
    name: 'revokes one key, and the first time stands',
    async run(keys) {
      const { sha256, ...key } = aNewApiKey('kiosk')
      const { sha256: _, ...neighbour } = aNewApiKey('neighbour')
      await keys.add({ ...key, sha256 })
      await keys.add(aNewApiKey('neighbour'))
      assert.equal(await keys.revoke(key.id, after(5)), true)
      assert.equal(await keys.revoke(key.id, after(9)), true)
      assert.equal(await keys.revoke(key.id, after(1)), true)
      assert.deepEqual(await keys.find(key.id), { ...key, revokedAt: after(5) })
      assert.deepEqual(await keys.findByHash(sha256), { ...key, revokedAt: after(5) })
      assert.deepEqual(await keys.find(neighbour.id), neighbour)
    },
  },
  {
    name: 'says that there is no such key to revoke',
    async run(keys) {
      await keys.add(aNewApiKey('kiosk'))
      assert.equal(await keys.revoke('key_other', NOON), false)
      assert.equal((await keys.find('key_kiosk'))?.revokedAt, undefined)
    },
  },
  {
    name: 'notes the latest use of a key, in whatever order they come',
    async run(keys) {
      const { sha256, ...key } = aNewApiKey('kiosk')
      await keys.add({ ...key, sha256 })
      await keys.add(aNewApiKey('neighbour'))
      await keys.markUsed([{ id: key.id, at: after(5) }])
      assert.deepEqual(await keys.find(key.id), { ...key, lastUsedAt: after(5) })
      await Promise.all([7, 9, 8, 1].map((at) => keys.markUsed([{ id: key.id, at: after(at) }])))
      assert.deepEqual(await keys.findByHash(sha256), { ...key, lastUsedAt: after(9) })
      assert.equal((await keys.find('key_neighbour'))?.lastUsedAt, undefined)
    },
  },
  {
    name: 'takes the use of an unknown key without an error',
    async run(keys) {
      await keys.markUsed([{ id: 'key_other', at: NOON }])
      assert.deepEqual(await keys.list(), [])
    },
  },
]
